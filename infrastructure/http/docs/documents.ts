import { readFileSync } from "node:fs"
import { makeAdminDocument, makeDocument } from "../api/openapi/document.ts"

const manifest = readFileSync(new URL("../../../package.json", import.meta.url), "utf8")
const { version }: { readonly version: string } = JSON.parse(manifest)

/** The OpenAPI document of v1 and v2. */
export const document = makeDocument(version)

/** The OpenAPI document of the admin API. */
export const adminDocument = makeAdminDocument(version)

/** The body of `/openapi.json`. */
export const openApi = JSON.stringify(document)

/** The body of `/admin/v1/openapi.json`. */
export const adminOpenApi = JSON.stringify(adminDocument)
