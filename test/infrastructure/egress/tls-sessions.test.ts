import { assert, describe, it } from "@effect/vitest"
import { EventEmitter } from "node:events"
import type { TLSSocket } from "node:tls"
import { makeTlsSessions } from "../../../infrastructure/egress/exchange.ts"

const MINUTE = 60_000

/** A clock to turn, and handshakes as the runtime tells of them. */
const given = () => {
  let now = 0
  const sessions = makeTlsSessions(() => now)
  const shake = (
    server: string,
    ticket: string,
    how: { readonly authorized?: boolean; readonly reused?: boolean } = {}
  ) => {
    const { authorized = true, reused = false } = how
    const socket = Object.assign(new EventEmitter(), { authorized, isSessionReused: () => reused })
    sessions.watch(server, socket as Partial<TLSSocket> as TLSSocket)
    socket.emit("secureConnect")
    socket.emit("session", Buffer.from(ticket))
  }
  return { sessions, shake, pass: (millis: number) => now += millis }
}

describe("TLS sessions", () => {
  it("are stored by server, the newest of each", () => {
    const { sessions, shake } = given()
    shake("a@1", "first")
    shake("a@1", "second")
    shake("a@2", "other address")
    assert.strictEqual(sessions.find("a@1")?.toString(), "second")
    assert.strictEqual(sessions.find("a@2")?.toString(), "other address")
    assert.isUndefined(sessions.find("b@1"))
  })

  it("are not stored for a server with an invalid certificate", () => {
    const { sessions, shake } = given()
    shake("a@1", "good")
    shake("a@1", "bad", { authorized: false })
    assert.isUndefined(sessions.find("a@1"))
  })

  it("expire five minutes after the last full handshake, also when they are resumed", () => {
    const { pass, sessions, shake } = given()
    shake("a@1", "judged")
    pass(4 * MINUTE)
    shake("a@1", "taken up", { reused: true })
    assert.strictEqual(sessions.find("a@1")?.toString(), "taken up")
    pass(MINUTE)
    assert.isUndefined(sessions.find("a@1"))
    shake("a@1", "without a full handshake", { reused: true })
    assert.isUndefined(sessions.find("a@1"))
    shake("a@1", "judged anew")
    assert.strictEqual(sessions.find("a@1")?.toString(), "judged anew")
  })

  it("are stored for the thousand latest servers", () => {
    const { sessions, shake } = given()
    for (let server = 0; server <= 1_000; server++) shake(`s${server}`, "one")
    assert.isUndefined(sessions.find("s0"))
    assert.isDefined(sessions.find("s1"))
    assert.isDefined(sessions.find("s1000"))
  })
})
