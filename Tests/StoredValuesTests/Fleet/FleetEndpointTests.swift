#if Fleet
    import Foundation
    import Testing

    @testable import StoredValuesFleet

    @Suite("The address of a member of a fleet's cluster")
    struct FleetEndpointTests {}

    extension FleetEndpointTests {
        @Test(
            "An address is a name or an address with a port, encrypted or on this machine",
            arguments: [
                ("https://db1.example.com:2379", "https://db1.example.com:2379"), ("https://db1:2379/", "https://db1:2379"),
                ("https://db-1_x:0080", "https://db-1_x:80"), ("https://192.0.2.1:65535", "https://192.0.2.1:65535"),
                ("https://[2001:db8::1]:2379", "https://[2001:db8::1]:2379"), ("https://[::1]:1/", "https://[::1]:1"),
                ("https://LOCALHOST:1", "https://LOCALHOST:1"), ("http://127.0.0.1:2379", "http://127.0.0.1:2379"),
                ("http://127.8.9.10:1", "http://127.8.9.10:1"), ("http://[::1]:2379", "http://[::1]:2379"), ("http://localhost:2379/", "http://localhost:2379"),
            ])
        func sound(text: String, description: String) throws {
            let endpoint = try EtcdEndpoint(text)
            #expect(endpoint.description == description && endpoint.isPlain == text.hasPrefix("http:"))
        }

        @Test(
            "Anything else is refused, so that nobody is spoken with but whom the address names, and nobody else in the clear",
            arguments: [
                "", "/", "https://", "https:///", "127.0.0.1:2379", "db1:2379", "ftp://db1:2379", "unix:///run/etcd", "HTTPS://db1:2379", "https:/db1:2379",
                "https://:2379", "https://db1", "https://db1:", "https://db1:0", "https://db1:65536", "https://db1:+1", "https://db1:-1", "https://db1:1e3",
                "https://db1:2379/v3", "https://db1:2379//", "https://db1:2379?x", "https://db1:2379#x", "https://db1:2379\\", "https://db1:2379,",
                "https://ann@db1:2379", "https://ann:word@db1:2379", "https://db1:2379@db2:1", "https:// db1:2379", "https://db1 :2379", "https://db1:2379 ",
                "https://db1\r\n:2379", "https://db1:2379\n", "https://d\u{F6}:2379", "https://db%31:2379", "https://db1\0:2379", "https://db1:2379\u{600}/",
                "https://db1:2379/\u{301}", "https://::1:2379", "https://[::1]", "https://[::1:2379", "https://::1]:2379", "https://[db1]:2379",
                "https://[127.0.0.1]:2379", "https://[fe80::1%25eth0]:2379", "https://[]:1", "https://[[::1]]:1", "https://db1]:1", "https://db1:2379:2380",
                "http://db1:2379", "http://127.0.0.1", "http://0127.0.0.1:1", "http://127.0.0.01:1", "http://127.1:2379", "http://2130706433:2379",
                "http://0x7f.0.0.1:1", "http://127.0.0.1.example.com:2379", "http://127.:1", "http://127.0.0.1.:1", "http://localhost.example.com:1",
                "http://localhost.:1", "http://LOCALHOST:1", "http://0.0.0.0:1", "http://128.0.0.1:1", "http://[::]:1", "http://[::ffff:127.0.0.1]:1",
                "http://[0:0:0:0:0:0:0:1]:1", "http://[::2]:1", "http://127.0.0.1:1@192.0.2.1:1", "http://localhost@192.0.2.1:1",
                "http://192.0.2.1:2379", "HTTP://192.0.2.1:2379", "http://[::ffff:192.0.2.1]:2379", "http://user@127.0.0.1:2379",
                "http://127.0.0.1@192.0.2.1:2379", "http://127.0.0.1:2379/../@192.0.2.1", "http://127.0.0.1:2379?", "http://127.0.0.1:2379#",
                "http://127.0.0.1 .example.com:2379",
            ])
        func refused(text: String) {
            let error = #expect(throws: FleetError.self) { try EtcdEndpoint(text) }
            #expect(error?.reason == .misconfigured && error?.outcome == .didNotHappen)
            #expect(error?.description.contains("is not the address of an etcd member") == true)
        }
    }
#endif
