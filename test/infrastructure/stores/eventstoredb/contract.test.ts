import { eventStoreContract } from "../../../contracts/event-store.ts"
import { layerAt, layerOnServer } from "./given-server.ts"

eventStoreContract("EventStoreDB with batch appends", layerOnServer())
eventStoreContract("EventStoreDB with single appends", layerOnServer("--no-batch-append"))

// A server that is really one: nothing of this repository stands in for it.
const real = process.env["EVENTSTORE_URL"]
if (real !== undefined && real !== "") eventStoreContract("the EventStoreDB at EVENTSTORE_URL", layerAt(real))
