// Receives callbacks of SlipTrail. To try it:
// WEBHOOK_SECRETS=whsec_… INBOX=/tmp/inbox PORT=8000 node receive.ts
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import { rename, writeFile } from "node:fs/promises"
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http"
import { join } from "node:path"

const TOLERANCE_SECONDS = 300
const MAX_BYTES = 1024 * 1024

const { INBOX = ".", PORT = "8000", WEBHOOK_SECRETS = "" } = process.env

// The secrets in force; during a rotation the new one and the old one, with a space between them.
const secrets = WEBHOOK_SECRETS.split(/\s+/u).filter((secret) => secret !== "")
if (secrets.length === 0 || !secrets.every((secret) => /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/u.test(secret))) {
  throw new Error("WEBHOOK_SECRETS holds no secret whsec_…")
}
const keys = secrets.map((secret) => Buffer.from(secret.slice("whsec_".length), "base64"))

/** Whether exactly these bytes were signed under one of the secrets, just now. */
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

/** Keeps a callback until it is worked on. One that comes twice replaces itself: its bytes are the same. */
const keep = async (jobId: string, body: Buffer): Promise<void> => {
  const file = join(INBOX, `${jobId}.json`)
  const beside = `${file}.${randomUUID()}`
  await writeFile(beside, body)
  await rename(beside, file)
}

/** What arrived, byte for byte; undefined when it is more than a callback can be. */
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
  await keep(jobId, body)
  return 200
}

createServer((request, response) => {
  // Our own fault is answered with 500: then it comes again.
  void answerTo(request).catch(() => 500).then((status) => response.writeHead(status).end())
}).listen(Number(PORT), "127.0.0.1")
