import { Effect, Layer } from "effect"
import { layerEventStoreEmbedded } from "../../../../infrastructure/eventstore/embedded/layer.ts"
import { eventStoreContract } from "../../../contracts/event-store.ts"
import { tempLog } from "./temp-folder.ts"

eventStoreContract("embedded", Layer.unwrap(Effect.map(tempLog, (file) => layerEventStoreEmbedded({ file }))))
