import { readFileSync } from "node:fs"

const description = new URL("../../package.json", import.meta.url)

/** The version of SlipTrail. */
export const { version } = JSON.parse(readFileSync(description, "utf8")) as { readonly version: string }
