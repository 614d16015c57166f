/** Draws the slip with the payload in the first argument and writes the PNG to stdout in base64. */
import { Effect } from "effect"
import { drawSandboxSlip } from "../../../../../infrastructure/adapters/banks/sandbox/slip-picture.ts"

const picture = await Effect.runPromise(drawSandboxSlip({ payload: process.argv[2] ?? "" }))
process.stdout.write(Buffer.from(picture).toString("base64"))
