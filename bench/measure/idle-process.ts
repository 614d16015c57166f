import { createServer } from "node:http"

// An idle node:http server, the baseline for memory.

createServer().listen(0, "127.0.0.1")
