import { eventStoreContract } from "../../../../contracts/event-store.ts"
import { layerAt, layerOnServer } from "./given-server.ts"

eventStoreContract("EventStoreDB", layerOnServer())

// A real server instead of this repository's test server.
const real = process.env["EVENTSTORE_URL"]
if (real !== undefined && real !== "") eventStoreContract("the EventStoreDB at EVENTSTORE_URL", layerAt(real))
