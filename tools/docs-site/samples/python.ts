import { pythonLiteral } from "./literals.ts"
import { FILE_NAME, type SampleBody, type SampleRequest } from "./sample-request.ts"

/** The modules and statements that a body needs, its type, and its content. */
interface PythonBody {
  readonly modules: ReadonlyArray<string>
  readonly before: string
  readonly contentType: string
  readonly content: string
}

const bodyOf = (body: SampleBody): PythonBody => {
  if (body.type === "json") {
    return {
      modules: ["json"],
      before: `body = ${pythonLiteral(body.value)}\n`,
      contentType: `"application/json"`,
      content: "json.dumps(body).encode()"
    }
  }
  if (body.type === "urlencoded") {
    return {
      modules: ["urllib.parse"],
      before: `body = ${pythonLiteral(Object.fromEntries(body.fields))}\n`,
      contentType: `"application/x-www-form-urlencoded"`,
      content: "urllib.parse.urlencode(body).encode()"
    }
  }
  return {
    modules: ["secrets"],
    before: `boundary = secrets.token_hex(16)
head = (
    f"--{boundary}\\r\\n"
    'Content-Disposition: form-data; name="${body.field}"; filename="${FILE_NAME}"\\r\\n'
    "Content-Type: application/octet-stream\\r\\n\\r\\n"
)
with open("${FILE_NAME}", "rb") as file:
    body = head.encode() + file.read() + f"\\r\\n--{boundary}--\\r\\n".encode()
`,
    contentType: `f"multipart/form-data; boundary={boundary}"`,
    content: "body"
  }
}

/** The request in Python, with the standard library. */
export const pythonSample = (
  { body, envelope, idempotencyKey, isOpen, keyVariable, method, path }: SampleRequest
): string => {
  const sent = body === undefined ? undefined : bodyOf(body)
  const headers = [
    ...(isOpen ? [] : [`"Authorization": "Bearer " + os.environ["${keyVariable}"],`]),
    ...(idempotencyKey === undefined ? [] : [`"Idempotency-Key": ${pythonLiteral(idempotencyKey)},`]),
    ...(sent === undefined ? [] : [`"Content-Type": ${sent.contentType},`])
  ]
  const modules = [
    "os",
    "urllib.error",
    "urllib.request",
    ...sent?.modules ?? [],
    ...envelope === undefined ? [] : ["json"]
  ]
  const options = [
    `os.environ["BASE_URL"] + ${pythonLiteral(path)},`,
    ...(method === "GET" ? [] : [`method=${pythonLiteral(method)},`]),
    ...(headers.length === 0 ? [] : ["headers={", ...headers.map((header) => `    ${header}`), "},"]),
    ...(sent === undefined ? [] : [`data=${sent.content},`])
  ]
  const answer = envelope === undefined ? "response.read().decode()" : `json.load(response)["data"]`
  return `${[...new Set(modules)].sort().map((name) => `import ${name}`).join("\n")}

${sent?.before ?? ""}request = urllib.request.Request(
    ${options.join("\n    ")}
)
try:
    with urllib.request.urlopen(request, timeout=30) as response:
        print(${answer})
except urllib.error.HTTPError as error:
    # The body has the code of the failure.
    raise SystemExit(error.read().decode()) from None
`
}
