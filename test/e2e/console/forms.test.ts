import { assert, layer } from "../../support/it.ts"
import { Effect } from "effect"
import type { BankAccountView } from "../../../application/views/bank-account.ts"
import { messagesIn } from "../../../infrastructure/web/console/messages.ts"
import { makeAdminDocument } from "../../../infrastructure/web/api/openapi/document.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { declaredShapes, type Shape } from "../../docs/stated-shapes.ts"
import { formTokenIn, getPage, sendForm, signedIn, textOf } from "./given-console.ts"

interface OfferedForm {
  readonly page: string
  readonly action: string
  /** The schema of the request that the form stands for. */
  readonly request: string
  /** Fields of the request that only the admin API has. */
  readonly without?: ReadonlyArray<string>
  /** The inputs of a field with another name, or with several inputs. */
  readonly inputs?: Readonly<Record<string, ReadonlyArray<string>>>
}

const scopes = { scopes: ["verify", "read", "configure"] }

const formsOf = (ids: Readonly<Record<"service" | "branch" | "account", string>>): ReadonlyArray<OfferedForm> => {
  const service = `services/${ids.service}`
  const branch = `branches/${ids.branch}`
  const account = `bank-accounts/${ids.account}`
  const form = (page: string, request: string, others: Partial<OfferedForm> = {}): OfferedForm => ({
    page,
    action: page,
    request,
    ...others
  })
  return [
    form("services/new", "ServiceRequest", { without: ["accountId", "apiKey"] }),
    form(service, "ServiceChangeRequest"),
    form(service, "ReasonRequest", { action: `${service}/ban` }),
    form(`${service}/new-branch`, "BranchRequest", { without: ["apiKey"] }),
    form(branch, "BranchChangeRequest"),
    form(`${branch}/policy`, "PolicyRequest"),
    form(`${branch}/new-key`, "ApiKeyRequest", { inputs: scopes }),
    form(`${branch}/new-sign-in-link`, "SignInLinkRequest", { inputs: scopes }),
    form(`${branch}/new-bank-account`, "BankAccountChange"),
    form(account, "BankAccountChange"),
    form(account, "LinkRequest", { action: `${account}/link` }),
    form("operators", "OperatorRequest", { inputs: { name: ["operatorName"] } }),
    form("operators", "RoleRequest", { action: "operators/nok/role" })
  ]
}

const { named, shapeOf } = declaredShapes(makeAdminDocument("0"))

/** The names of the fields; a group of fields has one input for each. */
const leaves = (shape: Shape | undefined): ReadonlyArray<string> =>
  [...shape ?? []].flatMap(([name, { inner }]) => inner === undefined ? [name] : leaves(inner))

const textIn = (html: string): string => html.replaceAll(/<[^>]*>/gu, "").trim()

/** The inputs of a form that people see, with the texts of their labels. */
const inputsIn = (html: string, action: string): ReadonlyMap<string, string> => {
  const form = html.split("<form ").find((part) => part.includes(`action="/console/${action}"`))?.split("</form>")[0]
    ?? ""
  const inputs = form.matchAll(/<(?:input|select|textarea)(?![^>]*type="hidden")[^>]*\sname="(\w+)"/gu)
  return new Map([...inputs].map(([tag, name = ""]) => {
    const [, id = ""] = /\sid="([^"]+)"/u.exec(tag) ?? []
    const [, label] = new RegExp(`<label[^>]* for="${id}"[^>]*>(.*?)</label>`, "su").exec(form) ?? []
    const [, around = ""] = new RegExp(`<label>(<input[^>]* name="${name}".*?)</label>`, "su").exec(form) ?? []
    return [name, textIn(label ?? around)]
  }))
}

layer.live(layerRunningService({ ROLES: "http,projector" }))("a form of the console", (it) => {
  const given = Effect.gen(function* () {
    const { admin, baseUrl, call, createService } = yield* RunningService
    const { id, mainBranch } = yield* createService()
    const { data } = yield* call<BankAccountView>("POST", "/v2/bank-accounts", {
      key: mainBranch.apiKey,
      body: { bankCode: "004", bankNumber: "1234567890", nameTh: "สมชาย ใจดี" }
    })
    yield* admin("POST", `/services/${id}/branches`, { name: "Siam" })
    yield* admin("POST", "/operators", { name: "nok", role: "support" })
    const forms = formsOf({ service: id, branch: mainBranch.id, account: data.id })
    return { baseUrl, forms, cookie: yield* signedIn(baseUrl) }
  })

  it.effect("has each field of its request, with a label and a text for its error in every language", function* () {
    const { baseUrl, cookie, forms } = yield* given
    for (const language of ["en", "th"] as const) {
      const errors: Readonly<Record<string, string>> = messagesIn(language).rejections.fields
      const letter = language === "th" ? /[\u0E00-\u0E7F]/u : /[a-z]/iu
      for (const { action, inputs = {}, page, request, without = [] } of forms) {
        const answer = yield* getPage(baseUrl, `/console/${page}`, {
          cookie,
          headers: { "accept-language": language }
        })
        const { confirm: _, ...labels } = Object.fromEntries(inputsIn(yield* textOf(answer), action))
        const fields = leaves(shapeOf(named(request))).filter((name) => !without.includes(name))
        const shown = fields.flatMap((name) => inputs[name] ?? [name])
        assert.sameMembers(Object.keys(labels), shown, action)
        for (const [name, text] of Object.entries(labels)) assert.match(text, letter, `${action} ${name}`)
        // A branch is chosen from a list that has no wrong entry.
        const mayBeWrong = fields.filter((name) => name !== "branchId")
        for (const name of mayBeWrong) assert.match(errors[name] ?? "", letter, `${action} ${name}`)
      }
    }
  })

  it.effect("shows the error of a field at the field alone", function* () {
    const { baseUrl, cookie, forms } = yield* given
    for (const { action, page } of forms.filter(({ action, page }) => action === page)) {
      const path = `/console/${page}`
      const before = yield* textOf(yield* getPage(baseUrl, path, { cookie }))
      const wrong = [...inputsIn(before, action).keys()].map((name) => [name, "x".repeat(3_000)] as const)
      const form = { csrf: formTokenIn(before), ...Object.fromEntries(wrong), role: "support" }
      const text = yield* textOf(yield* sendForm(baseUrl, path, form, { cookie }))
      const [, banner = ""] = /<div class="banner bad"[^>]*>(.*?)<\/div>/su.exec(text) ?? []
      assert.match(banner, /^<p>[^<]*<\/p>$/u, page)
      assert.match(text, / id="field-\w+-error"/u, page)
    }
  })
})
