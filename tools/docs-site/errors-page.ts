import { type Content, markup } from "../../infrastructure/web/pages/html.ts"
import { indexed } from "../../infrastructure/web/docs/ranking.js"
import type { DocPage } from "./doc-page.ts"
import type { ReferenceContext } from "./operation-view.ts"
import { type ErrorRow, errorsOf, groupsOf, type OperationGroup } from "./placed-operations.ts"
import { groupPath } from "./reference-pages.ts"
import { markdownLine } from "./schema-view.ts"

interface CodeEntry {
  readonly code: string
  readonly meaning: string
  readonly statuses: ReadonlySet<string>
  readonly isRetryable: boolean
  readonly isShared: boolean
  readonly operations: ReadonlyArray<{ readonly url: string; readonly operationId: string }>
}

const merged = (earlier: CodeEntry | undefined, row: ErrorRow, url: string, operationId: string): CodeEntry => ({
  code: row.code,
  meaning: row.meaning,
  statuses: new Set([...earlier?.statuses ?? [], row.status]),
  isRetryable: row.isRetryable,
  isShared: row.isShared,
  operations: earlier?.operations.some((one) => one.operationId === operationId) === true
    ? earlier.operations
    : [...earlier?.operations ?? [], { url, operationId }]
})

const codesOf = (context: ReferenceContext, groups: ReadonlyArray<OperationGroup>): ReadonlyArray<CodeEntry> => {
  const codes = new Map<string, CodeEntry>()
  for (const group of groups) {
    for (const { operation } of group.operations) {
      for (const row of errorsOf(operation, context.document, context.references)) {
        const url = `${context.base}${groupPath(group)}#${operation.operationId}`
        codes.set(row.code, merged(codes.get(row.code), row, url, operation.operationId))
      }
    }
  }
  return [...codes.values()].sort((one, other) => one.code.localeCompare(other.code, "en"))
}

const codeView = ({ code, isRetryable, isShared, meaning, operations, statuses }: CodeEntry): Content =>
  markup`<section class="error" id="${code}"><h3><code>${code}</code> ${
    [...statuses].map((status) => markup`<span class="status s${status.charAt(0)}">${status}</span> `)
  }</h3><p>${markdownLine(meaning)}${isRetryable ? ". The answer may have Retry-After." : "."}</p><p class="rule">${
    isShared ? "Every operation that needs a key or a token can answer it." : operations.map((
      { operationId, url },
      index
    ) => [index === 0 ? "" : ", ", markup`<a href="${url}">${operationId}</a>`])
  }</p></section>`

const PATH = "/errors"

/** Every code with its meaning, its statuses and the operations that answer it. */
export const makeErrorsPage = (context: ReferenceContext): DocPage => {
  const codes = codesOf(context, groupsOf(context.document, context.references))
  const isOfV1 = ({ code }: CodeEntry): boolean => code === code.toLowerCase()
  const parts = [
    { id: "codes", title: "Codes", codes: codes.filter((code) => !isOfV1(code)) },
    { id: "codes-of-v1", title: "Codes of v1", codes: codes.filter(isOfV1) }
  ].filter((part) => part.codes.length > 0)
  return {
    path: PATH,
    title: "Errors",
    language: "en",
    section: "Reference",
    headings: parts.map(({ id, title }) => ({ id, text: title })),
    content: markup`<h1>Errors</h1>
<p class="lead">Every failure has a code. Programs use the code; the message is for people and may change.</p>
<p>Repeat a request after <code>Retry-After</code> seconds when the answer has that header. A request with an
<code>Idempotency-Key</code> can always be repeated safely. Send the <code>X-Request-Id</code> of the answer with
questions to the operator.</p>${
      parts.map(({ codes, id, title }) => markup`<h2 id="${id}">${title}</h2>${codes.map(codeView)}`)
    }`,
    entries: parts.flatMap((part) => part.codes).map(({ code, meaning }) => ({
      url: `${context.base}${PATH}#${code}`,
      kind: "Error",
      title: code,
      detail: meaning,
      id: code,
      names: indexed(code),
      words: indexed(meaning)
    }))
  }
}
