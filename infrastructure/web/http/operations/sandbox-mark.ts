import { Context } from "effect"

/**
 * Whether the sandbox bank is one of the gateways of this installation. Then every answer of v1 and v2 has the header
 * `X-Sandbox: true`, and every page of the console has a banner (docs/spec/operations.md, "The sandbox bank").
 */
export const SandboxMark = Context.Reference<boolean>("sliptrail/http/SandboxMark", { defaultValue: () => false })
