ls                  # swift-stored-values
mkdir Weather
cd Weather
swift package init --type executable
rm -r Sources/Weather/*
