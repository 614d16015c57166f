import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))
const read = (name: string): string => readFileSync(fixture(name), "utf8")

/** The authority of the tests. With it in `EGRESS_CA_FILE`, the service trusts loopback servers. */
export const testAuthority = {
  file: fixture("ca.pem"),
  certificate: read("ca.pem")
}

/** The file of the certificate `elsewhere`, for a client that trusts it. */
export const elsewhereAuthorityFile = fixture("elsewhere.pem")

/**
 * A server's key and certificate, for `https.createServer`.
 *
 * The first three are for localhost, receiver.test, images.test, bank.test, *.example.test, 127.0.0.1 and ::1.
 * `trusted` and `expired` are signed by `testAuthority`, `stranger` by an authority that no client trusts.
 * `elsewhere` is its own authority and is for elsewhere.test only.
 * The key is not secret: test/fixtures/tls/make.sh creates all files again.
 */
export const certificateOf = (
  kind: "trusted" | "expired" | "stranger" | "elsewhere"
): { readonly key: string; readonly cert: string } => ({
  key: read("leaf.key"),
  cert: read(kind === "trusted" ? "leaf.pem" : `${kind}.pem`)
})
