import { readFileSync } from "node:fs"
import { makeAdminDocument, makeDocument } from "../api/openapi/document.ts"

const manifest = readFileSync(new URL("../../../package.json", import.meta.url), "utf8")
const { version }: { readonly version: string } = JSON.parse(manifest)

/** A value that is made with its first use: a process may serve one of the documents only. */
const lazily = <A>(make: () => A): () => A => {
  let made: A | undefined
  return () => made ??= make()
}

/** The OpenAPI document of v1 and v2. */
export const document = lazily(() => makeDocument(version))

/** The OpenAPI document of the admin API. */
export const adminDocument = lazily(() => makeAdminDocument(version))

/** The body of `/openapi.json`. */
export const openApi = lazily(() => JSON.stringify(document()))

/** The body of `/admin/v1/openapi.json`. */
export const adminOpenApi = lazily(() => JSON.stringify(adminDocument()))
