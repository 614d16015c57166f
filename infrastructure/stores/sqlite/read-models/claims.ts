import { Clock, Effect, Layer } from "effect"
import { Claims } from "../../../../ports/claims.ts"

/** Claims among the fibers of one process, which is all there is where the engines are embedded. */
export const layerClaimsEmbedded: Layer.Layer<Claims> = Layer.sync(Claims, () => {
  /** When each of them runs out, in milliseconds since 1970. */
  const claimed = new Map<string, number>()

  return Claims.of({
    claim: (name, forMillis) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (now < (claimed.get(name) ?? -Infinity)) return false
        claimed.set(name, now + forMillis)
        return true
      }),
    giveBack: (name) => Effect.sync(() => void claimed.delete(name))
  })
})
