import { createServer } from "node:http"

// What an HTTP server of Node takes that does nothing.

createServer().listen(0, "127.0.0.1")
