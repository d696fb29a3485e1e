swift build
.build/debug/Weather Oslo     # The weather in Oslo
.build/debug/Weather          # The weather in Oslo

cat ~/.config/com.example.Weather/preferences.json
# {
#   "city": "Oslo"
# }
