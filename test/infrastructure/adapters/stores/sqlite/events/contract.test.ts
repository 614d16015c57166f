import { Effect, Layer } from "effect"
import { layerEventStoreEmbedded } from "../../../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { eventStoreContract } from "../../../../../contracts/event-store.ts"
import { tempLog } from "./temp-folder.ts"

eventStoreContract("embedded", Layer.unwrap(Effect.map(tempLog, (file) => layerEventStoreEmbedded({ file }))))
