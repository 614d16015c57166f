import { getCACertificates } from "node:tls"
import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, it } from "../../../support/it.ts"
import { Effect, FileSystem } from "effect"
import { readAuthorities } from "../../../../infrastructure/adapters/egress/egress-settings.ts"
import { testAuthority } from "../../../support/tls.ts"
import { built } from "./loopback.ts"

const test = it.effect.with(() => NodeFileSystem.layer)

describe("egress settings", () => {
  it.effect.each(["10.0.0.0/33", "intranet", "", "::ffff:10.0.0.0/104"])(
    "name the invalid block: %j",
    function* (cidr) {
      const error = yield* Effect.flip(built({ allowCidrs: ["10.0.0.0/8", cidr] }))

      assert.strictEqual(error.setting, "EGRESS_ALLOW_CIDRS")
      assert.include(error.message, `EGRESS_ALLOW_CIDRS: "${cidr}"`)
    }
  )

  it.effect.each([
    ["a.test", "b.test"],
    ["a.test", "127.1"],
    ["a.test", "fe80::1%eth0"],
    ["127.0.0.1", "8.8.8.8"],
    ["0x7f.1", "8.8.8.8"],
    ["", "8.8.8.8"],
    [".", "8.8.8.8"],
    ["a.test:80", "8.8.8.8"],
    ["a.test/x", "8.8.8.8"],
    ["a test", "8.8.8.8"]
  ])("name the invalid host: %s=%s", function* ([name, address]) {
    const error = yield* Effect.flip(built({ hosts: { "good.test": "127.0.0.1", [name ?? ""]: address ?? "" } }))

    assert.strictEqual(error.setting, "EGRESS_HOSTS")
    assert.include(error.message, `"${name}=${address}"`)
  })

  it.effect.each(["dns.test", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:", "[::1", "::1]:53", "10.0.0.0/8", ""])(
    "name the invalid DNS server: %j",
    function* (server) {
      const error = yield* Effect.flip(built({ dnsServers: ["127.0.0.1", server] }))

      assert.strictEqual(error.setting, "EGRESS_DNS_SERVERS")
      assert.include(error.message, `EGRESS_DNS_SERVERS: "${server}"`)
    }
  )

  it.effect("accept DNS servers with and without a port", () =>
    built({ dnsServers: ["127.0.0.1", "127.0.0.1:5353", "fd00::53", "[fd00::53]", "[fd00::53]:5353"] }))

  test("name a missing, empty or invalid CA file", function* () {
    const files = yield* FileSystem.FileSystem
    const folder = yield* files.makeTempDirectoryScoped()
    const write = (name: string, content: string) =>
      Effect.as(files.writeFileString(`${folder}/${name}`, content), `${folder}/${name}`)
    const half = testAuthority.certificate.replace(/\n.{40}/u, "\n")
    const key = "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"

    for (
      const [file, problem] of [
        [`${folder}/missing.pem`, "cannot be read"],
        [folder, "cannot be read"],
        [yield* write("empty.pem", ""), "holds no PEM certificate"],
        [yield* write("key.pem", key), "holds no PEM certificate"],
        [yield* write("broken.pem", testAuthority.certificate + half), "holds a certificate that cannot be read"]
      ] as const
    ) {
      const error = yield* Effect.flip(built({ caFile: file }))
      assert.strictEqual(error.setting, "EGRESS_CA_FILE")
      assert.strictEqual(error.message, `EGRESS_CA_FILE: ${file} ${problem}`)
    }
  })

  it.effect("add the authorities of the CA file to those of the runtime", function* () {
    const authorities = yield* readAuthorities(testAuthority.file)

    assert.includeMembers([...authorities], getCACertificates("default"))
    assert.strictEqual(authorities.at(-1)?.trim(), testAuthority.certificate.trim())
  })

  test("are accepted with comments in the CA file", function* () {
    const files = yield* FileSystem.FileSystem
    const file = `${yield* files.makeTempDirectoryScoped()}/ca.pem`
    yield* files.writeFileString(file, `# ours\n${testAuthority.certificate}\n# again\n${testAuthority.certificate}`)

    yield* built({
      allowCidrs: ["10.0.0.0/8", "fd00::/8"],
      hosts: { "a.test": "::1", "xn--e1afmkfd.test": "10.0.0.1" },
      caFile: file
    })
  })
})
