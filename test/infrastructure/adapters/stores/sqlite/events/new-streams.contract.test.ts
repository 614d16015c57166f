import { Context, Effect, Layer } from "effect"
import { layerEventStoreEmbedded } from "../../../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { EventStore } from "../../../../../../ports/event-store.ts"
import { NewStreams } from "../../../../../../ports/new-streams.ts"
import { newEvents } from "../../../../../contracts/event-store-events.ts"
import { newStreamsContract } from "../../../../../contracts/new-streams.ts"
import { tempLog } from "./temp-folder.ts"

newStreamsContract(
  "an embedded log",
  Effect.gen(function* () {
    const context = yield* Layer.build(Layer.fresh(layerEventStoreEmbedded({ file: yield* tempLog })))
    const { append } = Context.get(context, EventStore)
    return {
      newStreams: Context.get(context, NewStreams),
      append: ({ stream }) => Effect.asVoid(append(stream, "no-stream", newEvents(1)))
    }
  })
)
