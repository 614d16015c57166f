import { assert, describe, it } from "@effect/vitest"
import { EventEmitter } from "node:events"
import type { TLSSocket } from "node:tls"
import { makeTlsSessions } from "../../../../infrastructure/adapters/egress/exchange.ts"

const MINUTE = 60_000

/** Sessions with a test clock. `shake` makes a handshake with the events of the runtime. */
const given = () => {
  let now = 0
  const sessions = makeTlsSessions(() => now)
  const handshake = (
    server: string,
    ticket: string,
    socketState: { readonly authorized?: boolean; readonly reused?: boolean } = {}
  ) => {
    const { authorized = true, reused = false } = socketState
    const socket = Object.assign(new EventEmitter(), { authorized, isSessionReused: () => reused })
    sessions.watch(server, socket as Partial<TLSSocket> as TLSSocket)
    socket.emit("secureConnect")
    socket.emit("session", Buffer.from(ticket))
  }
  return { sessions, handshake, pass: (millis: number) => now += millis }
}

describe("TLS sessions", () => {
  it("are stored by server, the newest of each", () => {
    const { sessions, handshake } = given()
    handshake("a@1", "first")
    handshake("a@1", "second")
    handshake("a@2", "other address")
    assert.strictEqual(sessions.find("a@1")?.toString(), "second")
    assert.strictEqual(sessions.find("a@2")?.toString(), "other address")
    assert.isUndefined(sessions.find("b@1"))
  })

  it("are not stored for a server with an invalid certificate", () => {
    const { sessions, handshake } = given()
    handshake("a@1", "good")
    handshake("a@1", "bad", { authorized: false })
    assert.isUndefined(sessions.find("a@1"))
  })

  it("expire five minutes after the last full handshake, also when they are resumed", () => {
    const { pass, sessions, handshake } = given()
    handshake("a@1", "full")
    pass(4 * MINUTE)
    handshake("a@1", "resumed", { reused: true })
    assert.strictEqual(sessions.find("a@1")?.toString(), "resumed")
    pass(MINUTE)
    assert.isUndefined(sessions.find("a@1"))
    handshake("a@1", "without a full handshake", { reused: true })
    assert.isUndefined(sessions.find("a@1"))
    handshake("a@1", "full again")
    assert.strictEqual(sessions.find("a@1")?.toString(), "full again")
  })

  it("are stored for the thousand latest servers", () => {
    const { sessions, handshake } = given()
    for (let server = 0; server <= 1_000; server++) handshake(`s${server}`, "one")
    assert.isUndefined(sessions.find("s0"))
    assert.isDefined(sessions.find("s1"))
    assert.isDefined(sessions.find("s1000"))
  })
})
