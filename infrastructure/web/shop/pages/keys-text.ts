import type { Scope } from "../../../../domain/api-key.ts"
import type { ShopContext } from "../page-context.ts"

/** The page of keys and devices. */
export const KEYS_PATH = "/app/settings/keys"

/** What a key or a link may do, in the language of the page. */
export const scopesText = (
  { messages: { settings: { keys } } }: ShopContext,
  scopes: ReadonlyArray<Scope>
): string => scopes.map((scope) => keys.scopeLabels[scope]).join(" · ")
