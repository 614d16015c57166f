import type {
  MediaType,
  OperationObject,
  ParameterObject,
  RequestBody,
  ResponseObject
} from "../api/openapi/document-types.ts"
import { type Content, markup } from "../../pages/html.ts"
import { markdown, markdownLine, type References, schemaView, typeOf } from "./schema-view.ts"

/** An operation with its method and path. */
export interface PlacedOperation {
  readonly method: string
  readonly path: string
  readonly operation: OperationObject
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const pathWithExamples = (path: string, parameters: ReadonlyArray<ParameterObject>): string =>
  path.replaceAll(
    /\{(\w+)\}/gu,
    (whole, name: string) => parameters.find((parameter) => parameter.name === name)?.example ?? whole
  )

const requiredQuery = (parameters: ReadonlyArray<ParameterObject>): string => {
  const required = parameters.filter((parameter) => parameter.in === "query" && parameter.required)
  const query = required.map(({ example, name }) => `${name}=${encodeURIComponent(example ?? "")}`).join("&")
  return query === "" ? "" : `?${query}`
}

/** The operation as a curl command, with the body of its first example. */
const curl = ({ method, operation, path }: PlacedOperation, references: References): string => {
  const parameters = (operation.parameters ?? []).map((parameter) => references.parameter(parameter))
  const hasKey = parameters.some(({ name }) => name === "Idempotency-Key")
  const [example] = Object.values(operation.requestBody?.content["application/json"]?.examples ?? {})
  const methodFlag = method === "get" ? "" : `-X ${method.toUpperCase()} `
  const lines = [
    `curl ${methodFlag}"$BASE_URL${pathWithExamples(path, parameters)}${requiredQuery(parameters)}"`,
    ...(operation.security?.length === 0 ? [] : [`-H "Authorization: Bearer $API_KEY"`]),
    ...(hasKey ? [`-H 'Idempotency-Key: order-42'`] : []),
    ...(example === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${shellQuote(JSON.stringify(example.value))}`])
  ]
  return lines.join(" \\\n  ")
}

const code = (title: string, text: string): Content =>
  markup`<figure><figcaption>${title}</figcaption><pre tabindex="0"><code>${text}</code></pre></figure>`

const exampleViews = (title: string, { examples = {} }: MediaType): Content =>
  Object.values(examples).map(({ summary, value }, index) =>
    markup`<details class="example"${index === 0 ? markup` open` : undefined}><summary>${title}: ${summary}</summary>${
      code("application/json", JSON.stringify(value, null, 2))
    }</details>`
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
    : markup`<h4>Parameters</h4><dl class="fields">${
      parameters.map((parameter) => parameterView(references.parameter(parameter), references))
    }</dl>`

const bodyView = ({ content, required }: RequestBody, references: References): Content =>
  markup`<h4>Body</h4>${
    Object.entries(content).map(([type, { schema }], index) =>
      markup`<details${index === 0 ? markup` open` : undefined}><summary>${type}${
        required ? "" : ", optional"
      }</summary>${schemaView(schema, { references, side: "request" })}</details>`
    )
  }`

const responseView = (status: string, response: ResponseObject, references: References): Content => {
  const { content, description, headers = {} } = response
  const schema = content?.["application/json"]?.schema
  return markup`<details class="response"><summary><span class="status s${status.charAt(0)}">${status}</span> ${
    markdownLine(description.split("\n\n").map((line) => line.split(":")[0] ?? line).join(", "))
  }</summary>${markdown(description)}${
    Object.keys(headers).length === 0
      ? undefined
      : markup`<p class="rule">Headers: ${Object.keys(headers).map((name) => markup`<code>${name}</code> `)}</p>`
  }${schema === undefined ? undefined : schemaView(schema, { references, side: "answer" })}</details>`
}

const firstAnswer = ({ responses }: OperationObject, references: References): Content => {
  const [[status, found] = ["", undefined]] = Object.entries(responses)
  const media = found === undefined ? undefined : references.response(found).content?.["application/json"]
  return media === undefined ? undefined : exampleViews(status, media)
}

/** The section of an operation. */
export const operationView = (placed: PlacedOperation, references: References): Content => {
  const { method, operation, path } = placed
  const { description, operationId, requestBody, responses, summary } = operation
  const bodyExamples = requestBody?.content["application/json"]
  // Callbacks have no path of this API: the service calls them.
  const isCallable = path.startsWith("/")
  return markup`<section class="operation" id="${operationId}"><div class="text"><h3>${summary}</h3>
<p class="route"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>${
    markdown(description)
  }${parametersView(operation, references)}${
    requestBody === undefined ? undefined : bodyView(requestBody, references)
  }<h4>Answers</h4>${
    Object.entries(responses).map(([status, response]) =>
      responseView(status, references.response(response), references)
    )
  }</div><div class="code">${isCallable ? code("Request", curl(placed, references)) : undefined}${
    bodyExamples === undefined ? undefined : exampleViews("Body", bodyExamples)
  }${firstAnswer(operation, references)}</div></section>`
}
