import { type Content, markup } from "../../infrastructure/web/pages/html.ts"
import { indexed } from "../../infrastructure/web/docs/ranking.js"
import { codeBlock } from "./code-view.ts"
import type { DocPage } from "./doc-page.ts"
import type { FrameTexts } from "../../infrastructure/web/docs/frame-texts.ts"
import { type ReferenceContext, sampleTabs } from "./operation-view.ts"
import { groupsOf } from "./placed-operations.ts"
import { groupPath } from "./reference-pages.ts"
import { type SampleBody, sampleRequests } from "./samples/sample-request.ts"

/** The samples of `verifyBank` with this kind of body, as tabs. */
export const startSamples = (
  { document, references }: ReferenceContext,
  type: SampleBody["type"],
  texts?: FrameTexts["code"]
): Content => {
  const path = "/v2/verify/bank"
  const operation = document.paths[path]?.post
  if (operation === undefined) return undefined
  return sampleRequests({ method: "post", path, operation }, references).filter(({ body }) => body?.type === type).map(
    (request) => sampleTabs(`start-${type}`, request, texts)
  )
}

export const ENVIRONMENT = `export BASE_URL=http://127.0.0.1:8080
export API_KEY=0f8fad5b-d9cb-4f69-a165-70867728950e`

export const ANSWER = JSON.stringify(
  {
    success: true,
    data: { isDuplicate: false, amountInSlip: 1500.5, matchedAccount: null, rawSlip: { "…": "…" } },
    message: "Bank slip verified"
  },
  null,
  2
)

export const FAILURE = JSON.stringify(
  { success: false, error: { code: "SLIP_NOT_FOUND", message: "Slip not found or invalid" } },
  null,
  2
)

/**
 * All operations with links to their pages. Each has the anchor that it had when the reference was one page: a link to
 * `/docs#verifyBank` leads here, and the script follows it.
 */
const operations = (context: ReferenceContext): Content =>
  groupsOf(context.document, context.references).map((group) => {
    const page = context.base + groupPath(group)
    return markup`<h3 id="tag-${group.slug}" data-moved><a href="${page}">${group.name}</a></h3><ul class="operations">${
      group.operations.map(({ method, operation: { operationId, summary } }) =>
        markup`<li id="${operationId}" data-moved><a href="${page}#${operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${summary}</a></li>`
      )
    }</ul>`
  })

const headings = [
  { id: "first-verification", text: "Your first verification" },
  { id: "before-you-ship", text: "Before you ship" },
  { id: "keys", text: "Keys" },
  { id: "errors", text: "Errors" },
  { id: "operations", text: "All operations" }
]

/** The start of the documentation, in English. */
export const makeStartPage = (context: ReferenceContext): DocPage => {
  const { base } = context
  return {
    path: "",
    title: "Start",
    language: "en",
    section: "Start",
    headings,
    content: markup`<h1>SlipTrail API</h1>
<p class="lead">Send the slip of a Thai bank transfer; learn whether the transfer exists, whether the slip was used
before, and whether the right amount reached the right account.</p>
<p lang="th"><a href="${base}/th">เอกสารภาษาไทย: เริ่มต้นใช้งาน</a></p>
<h2 id="first-verification">Your first verification</h2>
<p>You need the address of a service and an API key of a branch; its operator has both. To try it on your own machine,
start a service: it prints a key, and its sandbox bank knows the slip of these examples.</p>
${codeBlock("npm ci && npm start", "A service for trials")}
<p>Put both into the environment. All examples of this documentation read them from there.</p>
${codeBlock(ENVIRONMENT, "A second terminal")}
<p>Verify the text of a slip’s QR code:</p>${startSamples(context, "json")}
<p>The answer has everything that the bank reported:</p>${codeBlock(ANSWER, "200")}
<p>Repeat the request with another <code>Idempotency-Key</code>: <code>isDuplicate</code> is now <code>true</code>.
With the same key you get the first answer again.</p>
<p>Customers send pictures. <code>npx sliptrail sandbox slip --amount 1500.50 --out slip.png</code> draws one for
trials:</p>${startSamples(context, "multipart")}
<h2 id="before-you-ship">Before you ship</h2>
<p><code>"success": true</code> means that the bank knows the transfer. Check also:</p>
<ul><li><code>isDuplicate</code>: the slip may have paid for another order.</li>
<li><code>isAmountMatched</code>, with <code>matchAmount</code>: the slip may have another amount.</li>
<li><code>matchedAccount</code>, with <code>matchAccount</code>: the money may have gone to another account.</li></ul>
<p>Or send <code>conditions</code>, and the service decides: <code>accepted</code> says whether you may ship.
<a href="${base}/using-the-api#what-to-check-before-you-ship">What to check</a> has the details.</p>
<h2 id="keys">Keys</h2>
<p id="authentication">Send the key with every request: <code>Authorization: Bearer &lt;key&gt;</code>. Keep it on your
servers: the user of a page or an app can read a key in it. Give each till and each program
<a href="${base}/using-the-api#a-key-for-each-purpose">a key of its own</a>, which can do only what it needs.</p>
<h2 id="errors">Errors</h2>${codeBlock(FAILURE, "404")}
<p>Decide by <code>error.code</code>, never by the message. Retry after <code>Retry-After</code> seconds if the answer
has that header. <a href="${base}/errors">Every code</a> has its meaning and the operations that answer it.
<span id="headers" data-moved><a href="${base}/reference#headers">Headers of answers</a></span> describes the rest.</p>
<h2 id="operations">All operations</h2>${operations(context)}`,
    entries: headings.map(({ id, text }) => ({
      url: `${base}#${id}`,
      kind: "Start",
      title: text,
      detail: "SlipTrail API: start",
      names: indexed(text),
      words: indexed("start quickstart getting started sandbox key environment curl picture")
    }))
  }
}
