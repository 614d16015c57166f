import { assert, type Body, describe } from "../support/it.ts"
import { Effect } from "effect"
import type { Member, ReadModels, Write } from "../../ports/read-models.ts"
import { addMember, given, model, of, removeMember } from "./read-models-given.ts"

/** The part of the ReadModels contract about ordered sets. */
export const setsContract = <R>(
  test: (title: string, body: Body<ReadModels | R, []>) => void
): void => {
  describe("sets", () => {
    test("count a member once", function* () {
      const { count, has, write } = yield* given
      yield* write(addMember("due", "j1", 1), addMember("due", "j1", 1), addMember("due", "j2", 1))
      yield* write(addMember("due", "j1", 7))
      assert.strictEqual(yield* count("due"), 2)
      yield* write(removeMember("due", "j1"), removeMember("due", "j1"), removeMember("due", "never there"))
      assert.strictEqual(yield* count("due"), 1)
      const members = [{ set: "due", member: "j1" }, { set: "due", member: "j2" }, { set: "none", member: "j2" }]
      assert.deepStrictEqual(yield* has(...members), [false, true, false])
      assert.deepStrictEqual(yield* has(), [])
    })

    test("count the members within bounds of the score, both included", function* () {
      const { count, write } = yield* given
      yield* write(...[1, 2, 2.5, 3].map((score) => addMember("due", `m${score}`, score)), addMember("all", "a", 2))
      assert.strictEqual(yield* count("due", { from: 2, to: 3 }), 3)
      assert.strictEqual(yield* count("due", { from: 2.1, to: 2.9 }), 1)
      assert.strictEqual(yield* count("due", { from: 2.5 }), 2)
      assert.strictEqual(yield* count("due", { to: 1 }), 1)
      assert.strictEqual(yield* count("due", {}), 4)
      assert.strictEqual(yield* count("due", { from: 4, to: 9 }), 0)
      assert.strictEqual(yield* count("due", { from: 3, to: 2 }), 0)
      assert.strictEqual(yield* count("nothing", { from: 0 }), 0)
      yield* write(removeMember("due", "m2"))
      assert.strictEqual(yield* count("due", { from: 2, to: 3 }), 2)
    })

    test("are ordered by score, then by the UTF-8 bytes of the name", function* () {
      const { members, write } = yield* given
      const sorted = [of("z", -1.5), of("b", 0), of("10", 2), of("9", 2), of("a", 2), of("\uffff", 2), of("𐀀", 2)]
      yield* write(...sorted.toReversed().map(({ member, score }) => addMember("due", member, score)))
      assert.deepStrictEqual(yield* members("due"), sorted)
    })

    test("move a member that gets another score", function* () {
      const { members, write } = yield* given
      yield* write(addMember("due", "a", 1), addMember("due", "b", 2))
      yield* write(addMember("due", "a", 3))
      assert.deepStrictEqual(yield* members("due"), [of("b", 2), of("a", 3)])
    })

    test("are read within bounds of the score, both included", function* () {
      const { members, write } = yield* given
      yield* write(...[1, 2, 3, 4].map((score) => addMember("due", `m${score}`, score)))
      assert.deepStrictEqual(yield* members("due", { from: 2, to: 3 }), [of("m2", 2), of("m3", 3)])
      assert.deepStrictEqual(yield* members("due", { to: 1.5 }), [of("m1", 1)])
      assert.deepStrictEqual(yield* members("due", { from: 2.5, limit: 1 }), [of("m3", 3)])
      assert.deepStrictEqual(yield* members("due", { from: 3, after: of("m1", 1) }), [of("m3", 3), of("m4", 4)])

      const reverse = true
      assert.deepStrictEqual(yield* members("due", { from: 2, to: 3, reverse }), [of("m3", 3), of("m2", 2)])
      assert.deepStrictEqual(yield* members("due", { to: 2.5, limit: 1, reverse }), [of("m2", 2)])
      assert.deepStrictEqual(yield* members("due", { to: 2, after: of("m4", 4), reverse }), [
        of("m2", 2),
        of("m1", 1)
      ])
    })

    test("are read in pages without gaps and repetitions", function* () {
      const { members, write } = yield* given
      const all = Array.from({ length: 23 }, (_, index) => of(`m${index % 7}-${index}`, index % 3))
      yield* write(...all.map(({ member, score }) => addMember("due", member, score)))
      const paged = Effect.fnUntraced(function* (reverse: boolean) {
        const found: Array<Member> = []
        for (let page = yield* members("due", { limit: 4, reverse }); page.length > 0;) {
          found.push(...page)
          const after = page.at(-1)
          page = after === undefined ? [] : yield* members("due", { limit: 4, after, reverse })
        }
        return found
      })
      const forward = yield* members("due")
      assert.deepStrictEqual(yield* paged(false), Array.from(forward))
      assert.deepStrictEqual(yield* paged(true), [...forward].reverse())
      assert.strictEqual(forward.length, all.length)
    })

    test("with fixed scores keep each member once, and remove it by its score", function* () {
      const { count, members, models, write } = yield* given
      const set = "log"
      const add = (member: string, score: number): Write => ({
        _tag: "AddMember",
        set,
        member,
        score,
        isFixed: true
      })
      const remove = (member: string, fixedScore: number): Write => ({
        _tag: "RemoveMember",
        set,
        member,
        fixedScore
      })
      yield* write(add("a", 1), add("a", 1), add("b", 2))
      yield* write(add("b", 2), add("c", 3), remove("d", 4))
      assert.deepStrictEqual(yield* members(set), [of("a", 1), of("b", 2), of("c", 3)])
      assert.strictEqual(yield* count(set), 3)
      yield* write(remove("a", 1), remove("a", 1), remove("c", 3), add("c", 3))
      assert.deepStrictEqual(yield* members(set, { reverse: true }), [of("c", 3), of("b", 2)])
      assert.strictEqual(yield* count(set), 2)
      assert.strictEqual(yield* count(set, { from: 3 }), 1)
      const isThere = ["a", "b"].map((member) => ({ set, member, fixedScore: member === "a" ? 1 : 2 }))
      assert.deepStrictEqual(yield* models.has(model, isThere), [false, true])
      assert.lengthOf((yield* models.dump(model)).lines, 2)
    })

    test("are continued after a member that was removed in the meantime", function* () {
      const { members, write } = yield* given
      yield* write(addMember("due", "a", 1), addMember("due", "b", 1), addMember("due", "c", 1))
      yield* write(removeMember("due", "b"))
      assert.deepStrictEqual(yield* members("due", { after: of("b", 1) }), [of("c", 1)])
      assert.deepStrictEqual(yield* members("due", { after: of("b", 1), reverse: true }), [of("a", 1)])
    })

    test("with one score are found by a prefix of their names, in the order of bytes", function* () {
      const { members, write } = yield* given
      const names = ["a x", "a y", "a-1 x", "A x", "a", "a. x", "_ x", "b x"]
      yield* write(...names.map((name) => addMember("names", name, 0)))
      assert.deepStrictEqual(yield* members("names", { after: of("a ", 0), limit: 2 }), [
        of("a x", 0),
        of("a y", 0)
      ])
      assert.deepStrictEqual(yield* members("names", { after: of("A ", 0), limit: 1 }), [of("A x", 0)])
      assert.deepStrictEqual(yield* members("names", { after: of("b y", 0) }), [])
    })
  })
}
