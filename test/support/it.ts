import { it as effectIt, layer as effectLayer, test as plainTest, type Vitest } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"

export { assert, describe } from "@effect/vitest"

/** A test's body: a generator as `Effect.gen` takes it, or a function that returns an effect. */
export type Body<R, Args extends ReadonlyArray<unknown>> = (
  ...args: Args
) => Generator<Effect.Effect<unknown, unknown, R>, unknown, never> | Effect.Effect<unknown, unknown, R>

/** The effect of a test's body. */
export const effectOf = <R, Args extends ReadonlyArray<unknown>>(body: Body<R, Args>, ...args: Args) =>
  Effect.suspend((): Effect.Effect<unknown, unknown, R> => {
    const made = body(...args)
    return Effect.isEffect(made) ? made : Effect.gen(() => made)
  })

const takingBodies = <R>(test: Vitest.Tester<R>) => ({
  test: (title: string, body: Body<R, []>) => test(title, () => effectOf(body)),
  each: <T>(cases: ReadonlyArray<T>) => (title: string, body: Body<R, [T]>) =>
    test.each(cases)(title, (value) => effectOf(body, value)),
  prop: test.prop
})

const testerOf = <R>(test: Vitest.Tester<R>) => {
  const { test: declare, ...more } = takingBodies(test)
  return Object.assign(declare, more)
}

const scopedTester = (test: Vitest.Tester<Scope.Scope>) =>
  Object.assign(testerOf(test), {
    /** Tests of which each builds its own layer: `const test = it.effect.with(layerPorts)`. */
    with: <R, E>(make: () => Layer.Layer<R, E>) => (title: string, body: Body<R | Scope.Scope, []>) =>
      test(title, () =>
        Effect.flatMap(Layer.build(make()), (built) =>
          Effect.updateContext(effectOf(body), (own: Context.Context<Scope.Scope>) =>
            Context.merge(own, built))))
  })

/** Tests of vitest, and tests whose bodies are generators: `it.effect("keeps the order", function* () { … })`. */
export const it = Object.assign(plainTest.extend({}), {
  effect: scopedTester(effectIt.effect),
  live: scopedTester(effectIt.live)
})

const sharing = <R>(test: Vitest.Tester<R | Scope.Scope>) =>
  Object.assign(plainTest.extend({}), { effect: testerOf<R | Scope.Scope>(test) })

const sharedBy =
  (options: Parameters<typeof effectLayer>[1]) =>
  <R, E>(shared: Layer.Layer<R, E>) =>
  (name: string, declare: (it: ReturnType<typeof sharing<R>>) => void) =>
    effectLayer(shared, options)(name, ({ effect }) => declare(sharing<R>(effect)))

/** The same for tests that share a layer: `layer` in the time of a test's clock, `layer.live` in that of the machine. */
export const layer = Object.assign(sharedBy({}), { live: sharedBy({ excludeTestServices: true }) })
