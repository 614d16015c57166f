import { createCipheriv, createHmac, createSecretKey, randomBytes, randomUUID } from "node:crypto"
import type { AppendMessage, FromWriter } from "../../../infrastructure/stores/sqlite/events/messages.ts"
import { spawnWriterWorker, startWriterThread } from "../../../infrastructure/stores/sqlite/events/writer-thread.ts"

/**
 * The least that a durable answer costs: what was said is sealed, an event with it is flushed to the disk, many in one
 * commit, and then `done` is called. Nobody is known by a key, nothing is judged, no bank asked, nothing derived.
 */
export const makeDurable = async (file: string) => {
  const key = createSecretKey(randomBytes(32))
  const waiting = new Map<number, () => void>()
  let outbox: Array<AppendMessage> = []
  let posted = 0
  let last = 0

  const flush = () => {
    if (posted > 0 || outbox.length === 0) return
    posted = outbox.length
    thread.post({ _tag: "Append", appends: outbox })
    outbox = []
  }
  const onMessage = (message: FromWriter) => {
    if (message._tag !== "Committed") throw new Error(JSON.stringify(message))
    posted = 0
    for (const [number] of message.outcomes) {
      waiting.get(number)?.()
      waiting.delete(number)
    }
    flush()
  }
  const onEnd = (why: string) => {
    throw new Error(why)
  }
  const thread = await startWriterThread(file, { onMessage, onEnd }, spawnWriterWorker)

  const seal = (text: string) => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv("aes-256-gcm", key, nonce)
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
    return { k: "k", n: nonce.toString("base64"), c: sealed.toString("base64") }
  }

  return (payload: string, said: unknown, done: () => void): void => {
    const digest = createHmac("sha256", key).update(payload).digest("hex")
    const data = { verificationId: randomUUID(), transfer: seal(JSON.stringify(said)) }
    const metadata = { at: new Date().toISOString(), correlationId: randomUUID() }
    const event = [randomUUID(), "SlipVerified", JSON.stringify(data), JSON.stringify(metadata)]
    last++
    waiting.set(last, done)
    outbox.push([last, `slip-${digest}`, -1, event])
    if (outbox.length === 1) setImmediate(flush)
  }
}
