#if Libsecret
    import Foundation

    /// TestProcess as a Flatpak, installed for the user of a private desktop. Nothing is downloaded: its runtime is the
    /// libraries that the program needs here.
    enum FlatpakApplication {
        /// Installs it as `id`, with these further lines in its metadata.
        static func install(_ id: String, _ permissions: String, on desktop: PrivateDesktop) async throws {
            let (status, output) = try await desktop.shell(
                """
                set -eu
                exec 2>&1
                cd "$XDG_RUNTIME_DIR"
                runtime=org.example.Platform/$(flatpak --default-arch)/1
                if [ ! -e runtime ]; then
                    mkdir -p runtime/usr/bin runtime/usr/lib runtime/usr/etc
                    ln -s usr runtime/files
                    for program in /bin/sh \(BuiltProgram.path("TestProcess")); do
                        cp -L "$program" runtime/usr/bin/
                        for library in $(ldd "$program" | grep -o '/[^ ]*'); do
                            case $library in
                            /lib*/ld-linux*) folder=runtime/usr$(dirname "$library") ;;
                            *) folder=runtime/usr/lib ;;
                            esac
                            mkdir -p "$folder"
                            [ -e "$folder/${library##*/}" ] || cp -L "$library" "$folder/"
                        done
                    done
                    printf '%s\\n' '[Runtime]' name=org.example.Platform runtime=$runtime sdk=$runtime \\
                        '[Environment]' LD_LIBRARY_PATH=/usr/lib >runtime/metadata
                    flatpak build-export --runtime repository runtime 1
                    flatpak --user remote-add --no-gpg-verify local repository
                    flatpak --user install --noninteractive local org.example.Platform//1
                fi
                mkdir -p \(id)/files \(id)/export \(id)/var
                printf '%s\\n' '[Application]' name=\(id) runtime=$runtime sdk=$runtime command=TestProcess '\(permissions)' >\(id)/metadata
                flatpak build-export repository \(id) 1
                flatpak --user install --noninteractive local \(id)//1
                """)
            guard status == 0 else { throw NotInstalled(output: output) }
        }

        private struct NotInstalled: Error {
            let output: String
        }
    }
#endif
