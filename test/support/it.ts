import { it as effectIt, layer as effectLayer, test as plainTest, type Vitest } from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"

/** A test's body: a generator as `Effect.gen` takes it, or a function that returns an effect. */
type Body<R, Args extends ReadonlyArray<unknown>> = (
  ...args: Args
) => Generator<Effect.Effect<unknown, unknown, R>, unknown, never> | Effect.Effect<unknown, unknown, R>

const run = <R, Args extends ReadonlyArray<unknown>>(body: Body<R, Args>, ...args: Args) =>
  Effect.suspend((): Effect.Effect<unknown, unknown, R> => {
    const made = body(...args)
    return Effect.isEffect(made) ? made : Effect.gen(() => made)
  })

const takingBodies = <R>(test: Vitest.Tester<R>) => ({
  test: (title: string, body: Body<R, []>) => test(title, () => run(body)),
  each: <T>(cases: ReadonlyArray<T>) => (title: string, body: Body<R, [T]>) =>
    test.each(cases)(title, (value) => run(body, value)),
  prop: test.prop
})

const testerOf = <R>(test: Vitest.Tester<R>) => {
  const { test: declare, ...more } = takingBodies(test)
  return Object.assign(declare, more)
}

/** Tests of vitest, and tests whose bodies are generators: `it.effect("keeps the order", function* () { … })`. */
export const it = Object.assign(plainTest.extend({}), {
  effect: testerOf<Scope.Scope>(effectIt.effect),
  live: testerOf<Scope.Scope>(effectIt.live)
})

/** The same for tests that share a layer. */
export const layer =
  <R, E>(shared: Layer.Layer<R, E>, options?: Parameters<typeof effectLayer>[1]) =>
  (name: string, declare: (it: { readonly effect: ReturnType<typeof testerOf<R | Scope.Scope>> }) => void) =>
    effectLayer(shared, options)(name, (inner) => declare({ effect: testerOf<R | Scope.Scope>(inner.effect) }))
