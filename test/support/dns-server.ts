import dgram from "node:dgram"
import { once } from "node:events"
import { Effect, type Scope } from "effect"

/** A question of a resolver. */
export interface DnsQuestion {
  readonly name: string
  readonly type: "A" | "AAAA" | "other"
}

/** The addresses of a name; undefined gives no answer at all. */
export type DnsAnswer = (question: DnsQuestion) => ReadonlyArray<string> | "no such name" | undefined

export interface DnsServer {
  /** `address:port`, for `EGRESS_DNS_SERVERS`. */
  readonly address: string
  readonly questions: ReadonlyArray<DnsQuestion>
}

/** A DNS server over UDP on loopback. */
export const startDnsServer = (answer: DnsAnswer): Effect.Effect<DnsServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const questions: Array<DnsQuestion> = []
    const socket = dgram.createSocket("udp4", (query, { address, port }) => {
      const { bytes, question } = readQuestion(query)
      questions.push(question)
      const found = answer(question)
      if (found === undefined) return
      const records = found === "no such name" ? [] : found.map(recordOf)
      socket.send(Buffer.concat([headerOf(query, records.length, found), bytes, ...records]), port, address)
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => once(socket.bind(0, "127.0.0.1"), "listening")),
      () => Effect.sync(() => socket.close())
    )
    return { address: `127.0.0.1:${socket.address().port}`, questions }
  })

const HEADER_BYTES = 12
const types: Readonly<Record<number, DnsQuestion["type"]>> = { 1: "A", 28: "AAAA" }

const readQuestion = (query: Buffer): { readonly bytes: Buffer; readonly question: DnsQuestion } => {
  const labels: Array<string> = []
  let at = HEADER_BYTES
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = types[query.readUInt16BE(at + 1)] ?? "other"
  return {
    bytes: query.subarray(HEADER_BYTES, at + 5),
    question: { name: labels.join(".").toLowerCase(), type }
  }
}

/** Response, recursion available; one question and the answers. Additional records of the query are dropped. */
const headerOf = (query: Buffer, answers: number, found: ReturnType<DnsAnswer>): Buffer => {
  const header = Buffer.alloc(HEADER_BYTES)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(found === "no such name" ? 0x81_83 : 0x81_80, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(answers, 6)
  return header
}

/** A record of the question's name, without a time to live. */
const recordOf = (address: string): Buffer => {
  const isIpv4 = !address.includes(":")
  const data = isIpv4
    ? Buffer.from(address.split(".").map(Number))
    : Buffer.from(expand(address).map((group) => group.padStart(4, "0")).join(""), "hex")
  const head = Buffer.alloc(HEADER_BYTES)
  head.writeUInt16BE(0xc0_0c, 0)
  head.writeUInt16BE(isIpv4 ? 1 : 28, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

/** The eight groups of an IPv6 address. */
const expand = (address: string): ReadonlyArray<string> => {
  const [before = "", after] = address.split("::")
  const left = before.split(":").filter((group) => group !== "")
  const right = (after ?? "").split(":").filter((group) => group !== "")
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => "0"), ...right]
}
