import type { Finding } from "../figure.ts"
import { infoFinding } from "../figure.ts"
import { median } from "../measure/statistics.ts"
import type { ProcessorTime } from "../measure/usage.ts"
import type { Lap, LapsOf, Side } from "./laps.ts"
import type { Kind } from "./messages.ts"

/** A request that ends at a certain layer of the service. */
interface Layer {
  readonly what: string
  readonly kind: Kind
  /** Multiplies its requests, so that every layer takes similar time. */
  readonly times: number
  /** The time on the main thread to aim at, in microseconds. */
  readonly budget?: number
}

const layers = {
  live: { what: "GET /health/live", kind: "live", times: 4 },
  noKey: { what: "rejected without key", kind: "no-key", times: 4, budget: 60 },
  wrongKey: { what: "wrong key", kind: "wrong-key", times: 4 },
  invalid: { what: "authenticated 400", kind: "invalid", times: 4, budget: 100 },
  notFound: { what: "failure with one event", kind: "not-found", times: 1, budget: 180 },
  verify: { what: "full verification", kind: "verify", times: 1, budget: 260 }
} as const satisfies Readonly<Record<string, Layer>>

type LayerName = keyof typeof layers

/** The layers of a service as sides of a load. */
export const sidesOfLayers = (service: Side): Readonly<Record<LayerName, Side>> => {
  const side = (name: LayerName): Side => ({ ...service, kind: layers[name].kind, times: layers[name].times })
  return {
    live: side("live"),
    noKey: side("noKey"),
    wrongKey: side("wrongKey"),
    invalid: side("invalid"),
    notFound: side("notFound"),
    verify: side("verify")
  }
}

/** The processor time of each layer, beside a bare server that answers the same POST. */
export const timesOfLayers = (laps: LapsOf<LayerName>, bare: ReadonlyArray<Lap>): ReadonlyArray<Finding> => {
  const main = timeIn("main")
  const baseline = `${main(bare).toFixed(0)} µs bare node:http`
  return (Object.keys(layers) as ReadonlyArray<LayerName>).map((name) => {
    const layer: Layer = layers[name]
    const finding = infoFinding(
      { what: `main thread: ${layer.what}`, measured: otherThreads(laps[name]), baseline },
      main(laps[name]),
      "µs"
    )
    return { ...finding, target: layer.budget === undefined ? "" : `budget ${layer.budget} µs` }
  })
}

const timeIn = (thread: keyof ProcessorTime) => (laps: ReadonlyArray<Lap>): number =>
  median(laps.map(({ processor }) => processor?.[thread] ?? Number.NaN))

const otherThreads = (laps: ReadonlyArray<Lap>): string =>
  [
    ["V8 helpers", timeIn("helpers")] as const,
    ["writer", timeIn("logWriter")] as const,
    ["read models", timeIn("readModels")] as const,
    ["other", timeIn("other")] as const
  ].map(([name, time]) => `${name} ${time(laps).toFixed(0)}`).join(", ") + " µs"
