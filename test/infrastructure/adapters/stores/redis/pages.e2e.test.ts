import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Buffer } from "node:buffer"
import { beginning } from "../../../../../domain/events/recorded-event.ts"
import { type Member, ReadModels } from "../../../../../ports/read-models.ts"
import { addMember, at, model, of } from "../../../../contracts/read-models-given.ts"
import { startRedisServer } from "../../../../support/redis-server.ts"
import { onceForFile, readModelsAt } from "./given-redis.ts"
import { runs } from "../../../../support/runs.ts"

const server = onceForFile(startRedisServer())

const Name = Schema.Literals(["a", "aa", "B", "é", "𐀀", "\uffff"])
const Score = Schema.Literals([-1, 0.1])
const Members = Schema.NonEmptyArray(Schema.Tuple([Name, Score]))
const Bound = Schema.optionalKey(Schema.Literals([-1, 0, 0.1]))
const Page = Schema.Struct({
  from: Bound,
  to: Bound,
  limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }))),
  after: Schema.optionalKey(Schema.Struct({ member: Name, score: Score }))
})

it.live.prop(
  "pages of a set equal the result of a naive search",
  [Members, Page],
  ([members, page]) =>
    Effect.gen(function* () {
      yield* server().command("FLUSHALL")
      const models = yield* ReadModels
      const writes = members.map(([member, score]) => addMember("due", member, score))
      yield* models.apply(model, { after: beginning, upTo: at(1), writes })
      const all = Array.from(new Map(members), ([member, score]) => of(member, score)).sort(compare)
      const { after, from = -Infinity, limit = Infinity, to = Infinity } = page
      const expected = all.filter((member) => member.score >= from && member.score <= to)
        .filter((member) => after === undefined || compare(member, after) > 0)
      assert.deepStrictEqual(yield* models.members(model, "due", page), expected.slice(0, limit))
    }).pipe(Effect.provide(readModelsAt(server().url))),
  { arbitrary: { runs: runs(50) } }
)

const compare = (a: Member, b: Member): number =>
  a.score - b.score || Buffer.compare(Buffer.from(a.member), Buffer.from(b.member))
