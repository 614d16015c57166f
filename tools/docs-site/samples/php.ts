import { phpLiteral, phpText } from "./literals.ts"
import { FILE_NAME, type SampleBody, type SampleRequest } from "./sample-request.ts"

/** The statements before the request, its type, and its content. */
interface PhpBody {
  readonly before: string
  readonly contentType: string
  readonly content: string
}

const bodyOf = (body: SampleBody): PhpBody => {
  if (body.type === "json") {
    return {
      before: `$body = ${phpLiteral(body.value)};\n`,
      contentType: phpText("Content-Type: application/json"),
      content: "json_encode($body)"
    }
  }
  if (body.type === "urlencoded") {
    return {
      before: `$body = ${phpLiteral(Object.fromEntries(body.fields))};\n`,
      contentType: phpText("Content-Type: application/x-www-form-urlencoded"),
      content: "http_build_query($body)"
    }
  }
  return {
    before: `$boundary = bin2hex(random_bytes(16));
$body = "--$boundary\\r\\n"
    . "Content-Disposition: form-data; name=\\"${body.field}\\"; filename=\\"${FILE_NAME}\\"\\r\\n"
    . "Content-Type: application/octet-stream\\r\\n\\r\\n"
    . file_get_contents('${FILE_NAME}') . "\\r\\n--$boundary--\\r\\n";
`,
    contentType: `"Content-Type: multipart/form-data; boundary=$boundary"`,
    content: "$body"
  }
}

const checks = {
  v1: `$answer = json_decode($text, true);
if ($answer['status'] !== 200) {
    throw new RuntimeException($answer['message']);
}
print_r($answer['data']);`,
  v2: `$answer = json_decode($text, true);
if (!$answer['success']) {
    throw new RuntimeException($answer['error']['code']);
}
print_r($answer['data']);`,
  file: "echo $text;"
}

/** The request in PHP, without extensions. */
export const phpSample = (
  { body, envelope, idempotencyKey, isOpen, keyVariable, method, path }: SampleRequest
): string => {
  const sent = body === undefined ? undefined : bodyOf(body)
  const headers = [
    ...(isOpen ? [] : [`'Authorization: Bearer ' . getenv('${keyVariable}')`]),
    ...(idempotencyKey === undefined ? [] : [phpText(`Idempotency-Key: ${idempotencyKey}`)]),
    ...(sent === undefined ? [] : [sent.contentType])
  ]
  const options = [
    ...(method === "GET" ? [] : [`'method' => '${method}',`]),
    ...(headers.length === 0 ? [] : ["'header' => [", ...headers.map((header) => `    ${header},`), "],"]),
    ...(sent === undefined ? [] : [`'content' => ${sent.content},`]),
    "// Returns the answer of a failure too.",
    "'ignore_errors' => true,"
  ]
  return `<?php
${sent?.before ?? ""}$context = stream_context_create(['http' => [
    ${options.join("\n    ")}
]]);
$text = file_get_contents(getenv('BASE_URL') . ${phpText(path)}, false, $context);
${checks[envelope ?? "file"]}
`
}
