import { ownQuota } from "../../../../application/provisioning/info.ts"
import { Directory } from "../../../../application/provisioning/directory.ts"
import { type Content, markup, pageTitled } from "../../pages/html.ts"
import { doneBanner } from "../components.ts"
import { pathTo, scoped } from "../page-context.ts"

/** The pages of the settings, with a line about each. */
export const settingsPage = scoped("configure", function* (context) {
  const { caller, messages: { settings } } = context
  const { accounts, deliveries, keys, usage, webhook } = settings
  const { max, used } = yield* ownQuota(caller)
  const branch = yield* (yield* Directory).branch(caller.branchId)
  const entries: ReadonlyArray<readonly [path: string, title: string, about: Content]> = [
    ["usage", usage.title, usage.used(used, max)],
    ["keys", keys.title, keys.about],
    ["accounts", accounts.title, accounts.about],
    ["webhook", webhook.title, branch?.webhookUrl ?? webhook.none],
    ["deliveries", deliveries.title, deliveries.about]
  ]
  return pageTitled(settings.title, "settings")`<h1>${settings.title}</h1>${
    doneBanner(context)
  }<p>${settings.lead}</p><ul class="choices">${
    entries.map(([path, title, about]) =>
      markup`<li><a href="${pathTo("settings", path)}"><b>${title}</b><span class="any">${about}</span></a></li>`
    )
  }</ul>`
})
