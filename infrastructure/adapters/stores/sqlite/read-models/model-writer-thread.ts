import { serveModels } from "./serve-models.ts"

// The thread of the read models beside a log on a server. It loads no projections: they take a quarter of a second.

serveModels()
