swift build
.build/debug/Weather                                # Logged out, The weather in Bergen

# In a second terminal:
printf %s s3cret | .build/debug/Weather login       # The first one prints: Logged in
secret-tool lookup service com.example.Weather account token    # s3cret
secret-tool clear service com.example.Weather account token     # The first one prints: Logged out
