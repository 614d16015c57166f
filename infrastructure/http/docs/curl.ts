import type { OperationObject, ParameterObject } from "../api/openapi/document-types.ts"
import type { References } from "./references.ts"

/** What a shell takes as it is. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const parametersOf = ({ parameters = [] }: OperationObject, references: References): ReadonlyArray<ParameterObject> =>
  parameters.map((parameter) => references.parameter(parameter))

const pathWith = (path: string, parameters: ReadonlyArray<ParameterObject>): string =>
  path.replaceAll(
    /\{(\w+)\}/gu,
    (whole, name: string) => parameters.find((parameter) => parameter.name === name)?.example ?? whole
  )

const queryOf = (parameters: ReadonlyArray<ParameterObject>): string => {
  const needed = parameters.filter((parameter) => parameter.in === "query" && parameter.required)
  const query = needed.map(({ example, name }) => `${name}=${encodeURIComponent(example ?? "")}`).join("&")
  return query === "" ? "" : `?${query}`
}

/** The call of an operation as a command, with the body of its first example. */
export const curl = (method: string, path: string, operation: OperationObject, references: References): string => {
  const parameters = parametersOf(operation, references)
  const isKeyed = parameters.some(({ name }) => name === "Idempotency-Key")
  const [example] = Object.values(operation.requestBody?.content["application/json"]?.examples ?? {})
  const verb = method === "get" ? "" : `-X ${method.toUpperCase()} `
  const lines = [
    `curl ${verb}"$BASE_URL${pathWith(path, parameters)}${queryOf(parameters)}"`,
    ...(operation.security?.length === 0 ? [] : [`-H "Authorization: Bearer $API_KEY"`]),
    ...(isKeyed ? [`-H 'Idempotency-Key: order-42'`] : []),
    ...(example === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(example.value))}`])
  ]
  return lines.join(" \\\n  ")
}
