// Receives callbacks of SlipTrail. To start it:
// WEBHOOK_SECRETS=whsec_… INBOX=/tmp/inbox PORT=8000 node receive.ts
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import { rename, writeFile } from "node:fs/promises"
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http"
import { join } from "node:path"

const TOLERANCE_SECONDS = 300
const MAX_BYTES = 1024 * 1024

const { INBOX = ".", PORT = "8000", WEBHOOK_SECRETS = "" } = process.env

// The valid secrets, separated by spaces: two during a rotation.
const secrets = WEBHOOK_SECRETS.split(/\s+/u).filter((secret) => secret !== "")
if (secrets.length === 0 || !secrets.every((secret) => /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/u.test(secret))) {
  throw new Error("WEBHOOK_SECRETS must contain a secret whsec_…")
}
const keys = secrets.map((secret) => Buffer.from(secret.slice("whsec_".length), "base64"))

/** Whether one of the secrets signed exactly these bytes, in the last five minutes. */
const isGenuine = (body: Buffer, headers: IncomingHttpHeaders): boolean => {
  const id = String(headers["webhook-id"])
  const timestamp = String(headers["webhook-timestamp"])
  const signatures = String(headers["webhook-signature"]).split(" ")
  if (!/^\d{1,12}$/u.test(timestamp)) return false
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const expected = keys.map((key) => {
    const mac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body)
    return Buffer.from(`v1,${mac.digest("base64")}`)
  })
  return signatures.map((signature) => Buffer.from(signature)).some((given) =>
    expected.some((right) => given.length === right.length && timingSafeEqual(given, right))
  )
}

/** Stores a callback for later work. A repeated callback has the same bytes and replaces the file. */
const store = async (jobId: string, body: Buffer): Promise<void> => {
  const file = join(INBOX, `${jobId}.json`)
  const temporary = `${file}.${randomUUID()}`
  await writeFile(temporary, body)
  await rename(temporary, file)
}

/** The bytes of the body; undefined when there are more than a callback can have. */
const bodyOf = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_BYTES) return undefined
  }
  return Buffer.concat(chunks)
}

const answerTo = async (request: IncomingMessage): Promise<number> => {
  if (request.method !== "POST") return 405
  const body = await bodyOf(request)
  if (body === undefined) return 413
  if (!isGenuine(body, request.headers)) return 401
  const { jobId }: { readonly jobId: string } = JSON.parse(body.toString("utf8"))
  if (!/^[0-9a-f-]{36}$/u.test(jobId)) return 400
  await store(jobId, body)
  return 200
}

createServer((request, response) => {
  // An error of the receiver answers 500, so that the callback is sent again.
  void answerTo(request).catch(() => 500).then((status) => response.writeHead(status).end())
}).listen(Number(PORT), "127.0.0.1")
