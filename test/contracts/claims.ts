import { assert, describe, it } from "../support/it.ts"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Claims } from "../../ports/claims.ts"
import { until } from "../support/advance-clock.ts"

/**
 * What every adapter of the Claims port must do. `layer` gives claims without holders, new ones for each test;
 * `another` gives a second process on the same engine, if the engine allows one.
 */
export const claimsContract = <E>(
  engine: string,
  { another, layer }: { readonly layer: () => Layer.Layer<Claims, E>; readonly another?: () => Layer.Layer<Claims, E> }
): void => {
  const test = it.effect.with(layer)

  describe(`Claims on ${engine}`, () => {
    test("are given to one of many concurrent callers", function* () {
      const { claim } = yield* Claims
      const results = yield* Effect.forEach(Array.from({ length: 20 }), () => claim("job/1", 60_000), {
        concurrency: "unbounded"
      })
      assert.strictEqual(results.filter((isGranted) => isGranted).length, 1)
      assert.isFalse(yield* claim("job/1", 60_000))
    })

    test("of different names are independent, for any characters in a name", function* () {
      const { claim } = yield* Claims
      for (const name of ["job/1", "job/2", "callback/1", "{job/1}", "job 1 ✓"]) {
        assert.isTrue(yield* claim(name, 60_000))
      }
    })

    test("can be taken again after their release", function* () {
      const { claim, release } = yield* Claims
      yield* release("job/1")
      assert.isTrue(yield* claim("job/1", 60_000))
      yield* release("job/1")
      assert.isTrue(yield* claim("job/1", 60_000))
      assert.isFalse(yield* claim("job/1", 60_000))
    })

    test("expire", function* () {
      const { claim } = yield* Claims
      assert.isTrue(yield* claim("job/1", 300))
      assert.isTrue(yield* claim("job/2", 60_000))
      yield* until(claim("job/1", 300))
      assert.isFalse(yield* claim("job/2", 60_000))
    })

    if (another === undefined) return

    const start = Effect.fnUntraced(function* () {
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const claims = Context.get(yield* Layer.buildWithScope(Layer.fresh(another()), scope), Claims)
      return { ...claims, stop: Scope.close(scope, Exit.void) }
    })

    test("are refused to another process, which can't release them either", function* () {
      const { claim, release } = yield* Claims
      const other = yield* start()
      assert.isTrue(yield* claim("job/1", 60_000))
      assert.isFalse(yield* other.claim("job/1", 60_000))
      yield* other.release("job/1")
      assert.isFalse(yield* other.claim("job/1", 60_000))
      yield* release("job/1")
      assert.isTrue(yield* other.claim("job/1", 60_000))
      yield* release("job/1")
      assert.isFalse(yield* claim("job/1", 60_000))
    })

    test("are all released when a process stops", function* () {
      const { claim } = yield* Claims
      const other = yield* start()
      for (const name of ["job/1", "job/2"]) assert.isTrue(yield* other.claim(name, 60_000))
      assert.isTrue(yield* claim("job/3", 60_000))
      yield* other.stop
      for (const name of ["job/1", "job/2"]) assert.isTrue(yield* claim(name, 60_000))
      assert.isFalse(yield* claim("job/3", 60_000))
    })
  })
}
