import type {
  Document,
  MediaType,
  OperationObject,
  ParameterObject,
  RequestBody
} from "../../infrastructure/web/api/openapi/document-types.ts"
import { type Content, markup } from "../../infrastructure/web/pages/html.ts"
import { codeBlock, codeTabs } from "./code-view.ts"
import type { FrameTexts } from "../../infrastructure/web/docs/frame-texts.ts"
import { type ErrorRow, errorsOf, isCallable, type PlacedOperation, successOf } from "./placed-operations.ts"
import { sampleLanguages } from "./samples/languages.ts"
import { type SampleRequest, sampleRequests } from "./samples/sample-request.ts"
import { markdown, markdownLine, type References, schemaView, typeOf } from "./schema-view.ts"

/** What the views of a document's operations need. */
export interface ReferenceContext {
  /** Below which path the pages are, such as `/docs`. */
  readonly base: string
  readonly document: Document
  readonly references: References
}

/** The samples of one request, as tabs. */
export const sampleTabs = (key: string, request: SampleRequest, texts?: FrameTexts["code"]): Content =>
  codeTabs(
    key,
    request.title,
    sampleLanguages.map(({ id, name, sample }) => ({ id, name, code: sample(request).trimEnd() })),
    texts
  )

const samplesView = (placed: PlacedOperation, references: References): Content =>
  sampleRequests(placed, references).map((request, index) => {
    const tabs = sampleTabs(`${request.operationId}-${index}`, request)
    return index === 0
      ? markup`<h3>Request</h3>${tabs}`
      : markup`<details class="sample"><summary>${request.title}</summary>${tabs}</details>`
  })

const exampleViews = (title: string | undefined, { examples = {} }: MediaType, isFirstOpen: boolean): Content =>
  Object.values(examples).map(({ summary, value }, index) =>
    markup`<details class="example"${isFirstOpen && index === 0 ? markup` open` : undefined}><summary>${
      title === undefined ? summary : `${title}: ${summary}`
    }</summary>${codeBlock(typeof value === "string" ? value : JSON.stringify(value, null, 2))}</details>`
  )

const parameterView = (parameter: ParameterObject, references: References): Content =>
  markup`<dt><code>${parameter.name}</code> <span class="type">${parameter.in}, ${
    typeOf(parameter.schema, references)
  }</span>${parameter.required ? markup` <span class="required">required</span>` : undefined}</dt><dd><p>${
    markdownLine(parameter.description)
  }</p></dd>`

const parametersView = ({ parameters = [] }: OperationObject, references: References): Content =>
  parameters.length === 0
    ? undefined
    : markup`<h3>Parameters</h3><dl class="fields">${
      parameters.map((parameter) => parameterView(references.parameter(parameter), references))
    }</dl>`

const bodyView = ({ content, required }: RequestBody, references: References): Content =>
  markup`<h3>Body</h3>${
    Object.entries(content).map(([type, { schema }], index) =>
      markup`<details${index === 0 ? markup` open` : undefined}><summary>${type}${
        required ? "" : ", optional"
      }</summary>${schemaView(schema, { references, side: "request" })}</details>`
    )
  }`

const scopesView = ({ security = [] }: OperationObject, isOpen: boolean): Content => {
  if (isOpen) return markup`<p class="rule">Needs no key.</p>`
  const scopes = security.flatMap((one) => Object.values(one).flat())
  if (scopes.length === 0) return undefined
  return markup`<p class="rule">The key needs the scope ${
    scopes.map((scope, index) => [index === 0 ? "" : " or ", markup`<code>${scope}</code>`])
  }.</p>`
}

const answerView = (operation: OperationObject, references: References): Content => {
  const success = successOf(operation, references)
  if (success === undefined) return undefined
  const [status, { content = {}, headers = {} }] = success
  return markup`<h3>Answer</h3>${
    Object.entries(content).map(([type, { schema }]) =>
      markup`<details class="response"><summary><span class="status s2">${status}</span> ${type}</summary>${
        schemaView(schema, { references, side: "answer" })
      }</details>`
    )
  }${
    Object.keys(headers).length === 0
      ? undefined
      : markup`<p class="rule">Headers: ${Object.keys(headers).map((name) => markup`<code>${name}</code> `)}</p>`
  }`
}

const errorTable = (rows: ReadonlyArray<ErrorRow>, { base }: ReferenceContext): Content =>
  markup`<table class="errors"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th
scope="col">Meaning</th></tr></thead><tbody>${
    rows.map(({ code, isRetryable, meaning, status }) =>
      markup`<tr><td><span class="status s${
        status.charAt(0)
      }">${status}</span></td><td><a href="${base}/errors#${code}"><code>${code}</code></a></td><td>${
        markdownLine(meaning)
      }${isRetryable ? markup`. <span class="type">May have Retry-After.</span>` : undefined}</td></tr>`
    )
  }</tbody></table>`

const errorsView = (operation: OperationObject, context: ReferenceContext): Content => {
  const rows = errorsOf(operation, context.document, context.references)
  const own = rows.filter(({ isShared }) => !isShared)
  const shared = rows.filter(({ isShared }) => isShared)
  if (rows.length === 0) return undefined
  return markup`<h3>Errors</h3>${own.length === 0 ? undefined : errorTable(own, context)}${
    shared.length === 0
      ? undefined
      : markup`<details class="shared"><summary>Common errors (${shared.length})</summary>${
        errorTable(shared, context)
      }</details>`
  }`
}

/** An operation: its text, fields and errors, and beside them its requests and answers. */
export const operationView = (placed: PlacedOperation, context: ReferenceContext): Content => {
  const { method, operation, path } = placed
  const { references } = context
  const { description, operationId, requestBody, summary } = operation
  const bodyExamples = requestBody?.content["application/json"]
  const [status, success] = successOf(operation, references) ?? []
  const isOpen = operation.security?.length === 0
  return markup`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title"><div
class="text"><h2 id="${operationId}-title">${summary}<a class="anchor" href="#${operationId}" aria-hidden="true" tabindex="-1">#</a></h2>
<p class="route"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>${
    markdown(description)
  }${isCallable(placed) ? scopesView(operation, isOpen) : undefined}${parametersView(operation, references)}${
    requestBody === undefined ? undefined : bodyView(requestBody, references)
  }${answerView(operation, references)}${errorsView(operation, context)}</div><div class="code">${
    isCallable(placed) ? samplesView(placed, references) : undefined
  }${
    bodyExamples === undefined
      ? undefined
      : [markup`<h3>Bodies</h3>`, exampleViews(undefined, bodyExamples, !isCallable(placed))]
  }${
    success === undefined ? undefined : [
      markup`<h3>Answers</h3>`,
      Object.values(success.content ?? {}).map((media) => exampleViews(status, media, true))
    ]
  }</div></section>`
}
