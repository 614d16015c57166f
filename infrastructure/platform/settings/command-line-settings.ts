import { Schema } from "effect"
import { optional, secret } from "./setting.ts"

/** What the command line reads, and the service ignores (docs/spec/operations.md, "Command line"). */
export const commandLineSettings = {
  sliptrailUrl: optional(
    "SLIPTRAIL_URL",
    "URL of a running service, such as `https://slips.shop.example`. Commands then call its admin API instead of opening `DATA_DIR`. With `ADMIN_PORT`, the URL of that listener. `--url` replaces it.",
    Schema.String
  ),
  sliptrailToken: secret("SLIPTRAIL_TOKEN", "Token for the admin API of `SLIPTRAIL_URL`. `--token-file` replaces it."),
  sliptrailApiKey: secret(
    "SLIPTRAIL_API_KEY",
    "API key of a branch, for `sliptrail verify`. `--api-key-file` replaces it."
  ),
  sliptrailCaFile: optional(
    "SLIPTRAIL_CA_FILE",
    "PEM file of additional certificate authorities for `SLIPTRAIL_URL`.",
    Schema.String
  )
} as const
