swift build
.build/debug/Weather          # The weather in Oslo

# In a second terminal:
sed -i s/Oslo/Bergen/ ~/.config/com.example.Weather/preferences.json

# The first one prints: The weather in Bergen
