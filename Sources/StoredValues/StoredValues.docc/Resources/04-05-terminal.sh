export STORED_VALUES_KEYRING=file:$HOME/.local/share/weather/secrets
printf %s s3cret | .build/debug/Weather login
.build/debug/Weather                                # Logged in, The weather in Bergen
