import { Effect } from "effect"
import { findKey } from "../../../../application/provisioning/keys.ts"
import type { BranchView } from "../../../../application/views/provisioning.ts"
import { Directory } from "../../../../application/provisioning/directory.ts"
import { type Content, facts, markup, pageTitled, tag } from "../../pages/html.ts"
import type { Fields } from "../../input/decode.ts"
import { action, done } from "../action.ts"
import { activeTag, copyable, doneBanner, secretsPage, summaryCard } from "../components.ts"
import {
  actionForm,
  actionSection,
  confirmedAction,
  dangerZone,
  editSection,
  fieldView,
  formPage,
  issuesView
} from "../forms.ts"
import { timeView } from "../../pages/times.ts"
import { orUnavailable } from "../error-pages.ts"
import { AUDIT_PATH, auditPath, branchOf, idOf, type PageContext, pathTo, serviceOf } from "../page-context.ts"
import { quotaSection } from "../quota-section.ts"
import { weekSection } from "../today-section.ts"
import { accountsOfBranch } from "./bank-account.ts"
import { keyIdOf, keysSection, typedNameOf } from "./keys.ts"
import { openLinksSection } from "./sign-in-link.ts"
import { policySection } from "./policy.ts"
import { enteredSettings, settingFacts, settingFieldViews } from "../branch-settings.ts"
import { settingNames } from "../../../../domain/branch-settings.ts"

/** The fields of a branch, in the form for a new branch and in the one for an existing branch. */
const branchFields = (context: PageContext, branch?: BranchView): ReadonlyArray<Content> => [
  issuesView(context, ["name", ...settingNames]),
  fieldView(context, {
    name: "name",
    label: context.messages.common.name,
    value: branch?.name ?? "",
    isRequired: true
  }),
  ...settingFieldViews(context, branch)
]

/** The form's fields as the admin API takes them. */
const branchInput = (fields: Fields): Fields => ({ name: fields["name"] ?? "", ...enteredSettings(fields) })

const actions = (context: PageContext, { id, isActive }: BranchView): ReadonlyArray<Content> => {
  const { branch } = context.messages
  const confirmedBy = (label: string, hint: string, name: string) =>
    confirmedAction(context, { label, hint, action: pathTo("branches", id, name) })
  return [
    confirmedBy(branch.rotateSecret, branch.rotateSecretHint, "rotate-webhook-secret"),
    isActive
      ? confirmedBy(branch.deactivate, branch.deactivateHint, "deactivate")
      : actionForm(context, pathTo("branches", id, "activate"), markup`<button>${branch.activate}</button>`)
  ]
}

/** What stops callers of the branch at once. */
const dangers = (context: PageContext, { id, name }: BranchView): Content => {
  const { branch } = context.messages
  return dangerZone(context, [
    { action: pathTo("branches", id, "rotate-key"), label: branch.rotateKey, hint: branch.rotateKeyHint, name }
  ])
}

/** A branch: its settings, the use of its quota, and its actions. */
export const branchPage = Effect.fnUntraced(function* (context: PageContext) {
  const branch = yield* branchOf(context)
  const service = yield* (yield* Directory).service(branch.serviceId)
  const { messages } = context
  const sections = [
    yield* orUnavailable(context, quotaSection(context, branch)),
    yield* orUnavailable(context, weekSection(messages, { branchId: branch.id })),
    yield* orUnavailable(context, accountsOfBranch(context, branch.id)),
    yield* orUnavailable(context, policySection(context, branch.id)),
    yield* orUnavailable(context, keysSection(context, branch.id)),
    yield* orUnavailable(context, openLinksSection(context, branch.id))
  ]
  const { branch: text, common } = messages
  return pageTitled(branch.name, "services")`<h1>${branch.name} ${activeTag(messages, branch.isActive)}${
    branch.isMain ? markup` ${tag(text.main)}` : undefined
  }</h1>${doneBanner(context)}${
    summaryCard(messages, [facts([
      [common.id, copyable(context, branch.id)],
      [
        text.service,
        markup`<a href="${pathTo("services", branch.serviceId)}">${service?.name ?? branch.serviceId}</a>`
      ],
      ...settingFacts(messages, branch),
      [common.created, timeView(messages, branch.createdAt)]
    ])])
  }<p><a class="button" href="${pathTo("trail", "branch", branch.id)}">${text.trail}</a>${
    context.may(AUDIT_PATH)
      ? markup` <a class="button" href="${auditPath({ subject: branch.id })}">${messages.audit.title}</a>`
      : undefined
  }</p>${sections}${
    editSection(context, text.edit, pathTo("branches", branch.id), (own) => branchFields(own, branch))
  }${actionSection(text.actions, "row", actions(context, branch))}${dangers(context, branch)}`
})

/** The form for a new branch of a service. */
export const newBranchPage = Effect.fnUntraced(function* (context: PageContext) {
  const service = yield* serviceOf(context)
  const { createBranch, newBranch } = context.messages.service
  return formPage(context, newBranch, {
    above: [pathTo("services", service.id), service.name],
    action: pathTo("services", service.id, "new-branch"),
    fields: branchFields(context),
    button: createBranch
  })
})

export const branchActions = {
  "services/:/new-branch": action("createBranch", {
    page: newBranchPage,
    body: branchInput,
    show: (context, created) => {
      const { common, overview } = context.messages
      const about = [
        [overview.branch, created.name],
        [common.id, markup`<code class="any">${created.id}</code>`]
      ] as const
      return secretsPage(context, pathTo("branches", created.id), about, created)
    }
  }),
  "branches/:": action("changeBranch", { page: branchPage, body: branchInput, show: done("changed") }),
  "branches/:/activate": action("activateBranch", { show: done("activated") }),
  "branches/:/deactivate": action("deactivateBranch", { show: done("deactivated") }),
  // The new key or secret is in the answer only.
  "branches/:/rotate-key": action("rotateKey", {
    page: branchPage,
    typed: (context) => Effect.map(branchOf(context), ({ name }) => name),
    show: (context, { apiKey, id, name }) =>
      secretsPage(context, pathTo("branches", id), [[context.messages.overview.branch, name]], { apiKey })
  }),
  "branches/:/rotate-webhook-secret": action("rotateSecret", {
    show: (context, { previousExpiresAt, secret }) => {
      const { messages, pagePath } = context
      const about = [[messages.branch.previousSecret, timeView(messages, previousExpiresAt)]] as const
      return secretsPage(context, pagePath, about, { webhookSecret: secret })
    }
  }),
  "branches/:/keys/:/revoke": action("revokeApiKey", {
    page: branchPage,
    typed: (context) => Effect.map(findKey(idOf(context), keyIdOf(context)), typedNameOf),
    show: done("keyRevoked")
  })
}
