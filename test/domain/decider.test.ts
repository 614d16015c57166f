import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { type Decider, eventsOf, fold } from "../../domain/decider.ts"
import { given } from "../support/decider-spec.ts"

interface Empty {
  readonly _tag: "Empty"
}

/** Takes balls out of a bag. */
const bag: Decider<"put" | "take", number, "in" | "out", Empty> = {
  initialState: 0,
  evolve: (balls, event) => event === "in" ? balls + 1 : balls - 1,
  decide: (command, balls) => {
    if (command === "put") return Result.succeed(balls < 2 ? ["in"] : [])
    return balls === 0 ? Result.fail({ _tag: "Empty" }) : Result.succeed(["out"])
  },
  isTerminal: () => false
}

describe("folding a history", () => {
  it("leads from the initial state, or from a later one, to the same state", () => {
    const history = ["in", "in", "out"] as const
    assert.strictEqual(fold(bag, []), 0)
    assert.strictEqual(fold(bag, history), 1)
    assert.strictEqual(fold(bag, history.slice(1), fold(bag, history.slice(0, 1))), 1)
  })
})

describe("given, when, then", () => {
  it("passes when the decider does what is expected", () => {
    given(bag).when("put").then("in")
    given(bag, "in").when("take").then("out")
    given(bag, "in", "in").when("put").thenNothing()
    given(bag, "in", "out").when("take").thenRejected("Empty")
  })

  it("fails when the decider does something else", () => {
    assert.throws(() => given(bag).when("put").then("out"))
    assert.throws(() => given(bag).when("put").then("in", "in"))
    assert.throws(() => given(bag).when("put").thenNothing())
    assert.throws(() => given(bag).when("put").thenRejected("Empty"), /expected Empty, but decided \["in"\]/u)
    assert.throws(() => given(bag).when("take").then("out"), /expected 1 events, but got Empty/u)
    assert.throws(() => given(bag).when("take").thenNothing())
  })
})

describe("the constructors of events", () => {
  const make = eventsOf(Schema.TaggedUnion({ Put: { ball: Schema.String, note: Schema.optionalKey(Schema.String) } }))

  it("accept every field, also those that old events do not have, and no other field", () => {
    const event = { _tag: "Put", ball: "red", note: "" } as const
    assert.deepStrictEqual(make.Put({ ball: "red", note: "" }), event)
    // @ts-expect-error An optional field of the event is missing.
    make.Put({ ball: "red" })
    // @ts-expect-error The event has no such field.
    make.Put({ ball: "red", note: "", size: 1 })
  })
})
