import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import type { Document } from "../api/openapi/document-types.ts"
import { makeAdminDocument, makeDocument } from "../api/openapi/document.ts"
import { type Content, type Html, markup, raw } from "../../pages/html.ts"
import { operationView, type PlacedOperation } from "./operation-view.ts"
import { makeReferences, markdown, markdownLine, type References } from "./schema-view.ts"

const METHODS = ["get", "post", "put", "patch", "delete"] as const

const operationsOf = (document: Document): ReadonlyArray<PlacedOperation> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ method, path, operation }]
    })
  )

/** The callbacks that the service sends. */
const callbacksOf = ({ webhooks }: Document, references: References): ReadonlyArray<PlacedOperation> =>
  Object.values(webhooks).flatMap((item) => {
    const { post } = references.pathItem(item)
    return post === undefined ? [] : [{ method: "post", path: "your callbackUrl", operation: post }]
  })

const hasTag = (tag: string) => ({ operation: { tags = [] } }: PlacedOperation): boolean => tags.includes(tag)

const anchor = (tag: string): string => `tag-${tag.toLowerCase().replaceAll(" ", "-")}`

const link = ({ method, operation: { operationId, summary } }: PlacedOperation): Content =>
  markup`<li><a href="#${operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${summary}</a></li>`

/** The reference page: HTML without scripts and external files. */
const renderPage = (document: Document, style: string): Html => {
  const references = makeReferences(document.components)
  const placed = [...operationsOf(document), ...callbacksOf(document, references)]
  const { description, summary, title, version } = document.info
  const { apiKey } = document.components.securitySchemes
  const groups = document.tags.map((tag) => ({ ...tag, operations: placed.filter(hasTag(tag.name)) }))
  // The page contains it twice: beside the text, and above it for narrow screens. The style shows one of them.
  const contents = groups.map(({ name, operations }) =>
    markup`<h2><a href="#${anchor(name)}">${name}</a></h2><ul>${operations.map(link)}</ul>`
  )

  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} API</title>
<link rel="icon" href="data:,">
<style>${raw(style)}</style>
</head>
<body>
<header>
<a class="brand" href="#top">${title}</a> <span class="version">${version}</span>
<a class="download" href="openapi.json">OpenAPI 3.1</a>
</header>
<nav class="side" aria-label="Operations">${contents}</nav>
<nav class="menu" aria-label="Operations"><details><summary>Operations</summary>${contents}</details></nav>
<main id="top"><h1>${title} API</h1><p class="lead">${summary}</p>${markdown(description)}
<h2 id="authentication">Authentication</h2>${
    markdown(apiKey?.["description"] ?? "")
  }<h2 id="headers">Headers of answers</h2><dl class="fields">${
    Object.entries(document.components.headers).map(([name, header]) =>
      markup`<dt><code>${name}</code></dt><dd><p>${markdownLine(header.description)}</p></dd>`
    )
  }</dl>${
    groups.map(({ description, name, operations }) =>
      markup`<section class="group"><h2 id="${anchor(name)}">${name}</h2>${markdown(description)}${
        operations.map((operation) => operationView(operation, references))
      }</section>`
    )
  }</main>
</body>
</html>
`
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8")

const { version }: { readonly version: string } = JSON.parse(read("../../../package.json"))
const document = makeDocument(version)

/** The body of `/admin/v1/openapi.json`. */
export const adminOpenApi = JSON.stringify(makeAdminDocument(version))

const style = read("style.css")

/** The body of `/openapi.json`. */
export const openApi = JSON.stringify(document)

/** The body of `/docs`. */
export const page = renderPage(document, style).html

/** The page may use its own style and nothing else. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")
