import { Duration, Effect, Layer } from "effect"
import { StreamMarks } from "../../../ports/stream-marks.ts"
import { RedisConnection } from "./connection.ts"
import { keyPrefixOf } from "./keys.ts"
import { listOf, loadScripts } from "./scripts.ts"

const scripts = loadScripts("marks", "mark")

const prefix = `${keyPrefixOf("marks")}:stream`
const lasts = Duration.toMillis("1 hour")

export const layerStreamMarksRedis: Layer.Layer<StreamMarks, never, RedisConnection> = Layer.effect(
  StreamMarks,
  Effect.map(RedisConnection, ({ run }) =>
    StreamMarks.of({
      mark: (streams) =>
        Effect.map(
          run("mark", scripts.mark, [prefix], [prefix, lasts, ...streams]),
          (marked) => listOf(marked).map((isFirst) => isFirst === 1)
        )
    }))
)
