import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import {
  consoleSession,
  type ConsoleSessionsCommand,
  ConsoleSessionsEvent,
  isOpen
} from "../../domain/console-sessions.ts"
import { fold } from "../../domain/decider.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const at = "2026-11-22T05:00:00.000Z"
const expiresAt = "2026-11-22T13:00:00.000Z"
const later = "2026-11-22T14:00:00.000Z"

const end: ConsoleSessionsCommand = { _tag: "EndSession", sessionId: "s-1", expiresAt, at }
const endAll = (epoch: number): ConsoleSessionsCommand => ({ _tag: "EndAllSessions", epoch, at })
const ended: ConsoleSessionsEvent = { _tag: "ConsoleSessionEnded", sessionId: "s-1", expiresAt, at }
const allEnded = (epoch: number): ConsoleSessionsEvent => ({ _tag: "ConsoleSessionsEnded", epoch, at })

const stateAfter = (...history: ReadonlyArray<ConsoleSessionsEvent>) => fold(consoleSession, history)

describe("console sessions", () => {
  it("end one by one, each once", () => {
    given(consoleSession).when(end).then(ended)
    given(consoleSession, ended).when(end).thenNothing()
    const state = stateAfter(ended)
    assert.isFalse(isOpen(state, { id: "s-1", epoch: 0, operator: "nok" }))
    assert.isTrue(isOpen(state, { id: "s-2", epoch: 0, operator: "nok" }))
  })

  it("end all together, also sessions that this process does not know", () => {
    given(consoleSession).when(endAll(1)).then(allEnded(1))
    given(consoleSession, allEnded(1)).when(endAll(2)).then(allEnded(2))
    given(consoleSession, allEnded(1)).when(endAll(1)).thenNothing()
    const state = stateAfter(allEnded(1))
    assert.isFalse(isOpen(state, { id: "s-1", epoch: 0, operator: "nok" }))
    assert.isTrue(isOpen(state, { id: "s-1", epoch: 1, operator: "nok" }))
  })

  it("end for one operator, also when another end came first", () => {
    const endOf = (operator: string, epoch: number): ConsoleSessionsCommand => ({
      _tag: "EndAllSessions",
      epoch,
      operator,
      at
    })
    const endedOf = (operator: string, epoch: number): ConsoleSessionsEvent => ({
      _tag: "ConsoleSessionsEnded",
      epoch,
      operator,
      at
    })
    given(consoleSession).when(endOf("nok", 1)).then(endedOf("nok", 1))
    given(consoleSession, endedOf("nok", 1)).when(endOf("nok", 1)).thenNothing()
    // Both processes knew epoch 0: the second end must not be lost.
    given(consoleSession, endedOf("lek", 1)).when(endOf("nok", 1)).then(endedOf("nok", 2))
    given(consoleSession, endedOf("lek", 1)).when(endAll(1)).then(allEnded(2))
    given(consoleSession, allEnded(1)).when(endOf("nok", 1)).thenNothing()
    const state = stateAfter(endedOf("nok", 1))
    assert.isFalse(isOpen(state, { id: "s-1", epoch: 0, operator: "nok" }))
    assert.isTrue(isOpen(state, { id: "s-2", epoch: 0, operator: "lek" }))
    assert.isTrue(isOpen(state, { id: "s-3", epoch: state.epoch, operator: "nok" }))
  })

  it("end for one operator however its name is spelled: a provider may write the same account in another case", () => {
    const endedOf = (operator: string, epoch: number): ConsoleSessionsEvent => ({
      _tag: "ConsoleSessionsEnded",
      epoch,
      operator,
      at
    })
    const state = stateAfter(endedOf("oidc:Ann@Shop.Example", 1))
    assert.isFalse(isOpen(state, { id: "s-1", epoch: 0, operator: "oidc:ann@shop.example" }))
    assert.isFalse(isOpen(state, { id: "s-2", epoch: 0, operator: "oidc:ANN@shop.example" }))
    assert.isTrue(isOpen(state, { id: "s-3", epoch: 0, operator: "oidc:anna@shop.example" }))
  })

  it("are not remembered after they would have expired", () => {
    const other: ConsoleSessionsEvent = { ...ended, sessionId: "s-2", at: later, expiresAt: "2026-11-22T22:00:00.000Z" }
    assert.deepStrictEqual([...stateAfter(ended, other).ended.keys()], ["s-2"])
    assert.deepStrictEqual([...stateAfter(ended, allEnded(1)).ended.keys()], [])
  })
})

const Command = Schema.TaggedUnion({
  EndSession: {
    sessionId: Schema.Literals(["s-1", "s-2"]),
    expiresAt: Schema.Literal(expiresAt),
    at: Schema.Literal(at)
  },
  EndAllSessions: {
    epoch: Schema.Literals([1, 2, 3]),
    operator: Schema.optional(Schema.Literals(["nok", "lek"])),
    at: Schema.Literal(at)
  }
})

describe("any console sessions", () => {
  itObeysTheLaws(consoleSession, ConsoleSessionsEvent, Arbitrary.schema(Command))
})
