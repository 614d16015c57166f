import { assert, describe, it } from "@effect/vitest"
import { EventEmitter } from "node:events"
import type { TLSSocket } from "node:tls"
import { makeTlsSessions } from "../../../infrastructure/egress/tls-sessions.ts"

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

describe("sessions of TLS", () => {
  it("are kept by server, the newest of each", () => {
    const { sessions, shake } = given()
    shake("a@1", "first")
    shake("a@1", "second")
    shake("a@2", "other address")
    assert.strictEqual(sessions.of("a@1")?.toString(), "second")
    assert.strictEqual(sessions.of("a@2")?.toString(), "other address")
    assert.isUndefined(sessions.of("b@1"))
  })

  it("are none of a server whose certificate was not found good", () => {
    const { sessions, shake } = given()
    shake("a@1", "good")
    shake("a@1", "bad", { authorized: false })
    assert.isUndefined(sessions.of("a@1"))
  })

  it("go back to a certificate that was looked at five minutes ago at most, however often they are taken up", () => {
    const { pass, sessions, shake } = given()
    shake("a@1", "judged")
    pass(4 * MINUTE)
    shake("a@1", "taken up", { reused: true })
    assert.strictEqual(sessions.of("a@1")?.toString(), "taken up")
    pass(MINUTE)
    assert.isUndefined(sessions.of("a@1"))
    shake("a@1", "of nobody knows when", { reused: true })
    assert.isUndefined(sessions.of("a@1"))
    shake("a@1", "judged anew")
    assert.strictEqual(sessions.of("a@1")?.toString(), "judged anew")
  })

  it("are kept of a thousand servers, those that were heard of last", () => {
    const { sessions, shake } = given()
    for (let server = 0; server <= 1_000; server++) shake(`s${server}`, "one")
    assert.isUndefined(sessions.of("s0"))
    assert.isDefined(sessions.of("s1"))
    assert.isDefined(sessions.of("s1000"))
  })
})
