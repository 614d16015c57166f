import { createCipheriv, createHmac, createSecretKey, randomBytes, randomUUID } from "node:crypto"
import type { AppendMessage } from "../../infrastructure/adapters/stores/sqlite/events/append-batch.ts"
import { startLogWriter } from "../../infrastructure/adapters/stores/sqlite/events/writer.ts"

/**
 * The smallest work that makes an answer durable: encrypts the answer, flushes an event with it to the disk (many in
 * one commit) and then calls `done`. There is no authentication, no decision, no bank and no read model.
 */
export const makeDurable = async (file: string) => {
  const key = createSecretKey(randomBytes(32))
  const thread = startLogWriter(file)
  await thread.ready
  let queue: Array<{ readonly message: AppendMessage; readonly done: () => void }> = []
  let isBusy = false

  const flush = () => {
    if (isBusy || queue.length === 0) return
    isBusy = true
    const batch = queue
    queue = []
    thread.ask(batch.map(({ message }) => message), (outcome) => {
      if (outcome instanceof Error) throw outcome
      isBusy = false
      for (const { done } of batch) done()
      flush()
    })
  }

  const seal = (text: string) => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv("aes-256-gcm", key, nonce)
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
    return { k: "k", n: nonce.toString("base64"), c: sealed.toString("base64") }
  }

  return (payload: string, data: unknown, done: () => void): void => {
    const digest = createHmac("sha256", key).update(payload).digest("hex")
    const eventData = { verificationId: randomUUID(), transfer: seal(JSON.stringify(data)) }
    const metadata = { at: new Date().toISOString(), correlationId: randomUUID() }
    const event = [randomUUID(), "SlipVerified", JSON.stringify(eventData), JSON.stringify(metadata)]
    queue.push({ message: [`slip-${digest}`, -1, event], done })
    if (queue.length === 1) setImmediate(flush)
  }
}
