/** The texts of signing in, of the operators and of their sessions in English. */
export const enAccess = {
  login: {
    title: "Sign in",
    token: "Token",
    hint: "The token of an operator, or the value of ADMIN_TOKEN.",
    button: "Sign in",
    wrong: "The token is wrong.",
    first:
      "There is no operator yet. On the machine of the service, stop it and run: npx sliptrail operator add NAME --role admin",
    pause: (seconds: number) => `Too many wrong tokens. Try again in ${seconds} seconds.`,
    otherSite: "This form came from another site, or your browser hides its origin. Open the console directly.",
    logout: "Sign out",
    logoutAll: "Sign out everywhere",
    logoutAllHint:
      "Ends the sessions of all operators, in every browser and process. You sign in again with the token.",
    unavailable: "The event store is unavailable, so you cannot sign in. Try again shortly.",
    atProvider: (host: string) => `Sign in with ${host}`,
    or: "or with a token",
    done: "Signed in",
    continue: "Continue",
    startAgain: (origin: string) =>
      `This sign-in has expired, or it began in another window or at another address. Start again at ${origin}.`,
    providerAway: (host: string) => `${host} does not answer. Try again shortly, or sign in with a token.`,
    denied: (host: string) =>
      `${host} did not sign you in, because access was denied. Try again, or use another account.`,
    wrongCode: (host: string) =>
      `${host} does not accept this sign-in any more, because it was used or has expired. Try again.`,
    notProven: (host: string, requestId: string) =>
      `The answer of ${host} does not prove who you are, so you are not signed in. Try again. If it fails again, give an administrator this request id: ${requestId}`,
    misconfigured: (host: string, requestId: string) =>
      `You cannot sign in, because ${host} and the settings of SlipTrail do not fit together. Give an administrator this request id: ${requestId}`,
    noName: (host: string, claim: string) =>
      `You cannot sign in, because ${host} sent no usable ${claim} of your account, or says that it is not verified. Ask the administrator of ${host}.`,
    unmarkedEmail: (host: string) =>
      `You cannot sign in, because ${host} does not say whether the email of your account is verified. If ${host} never says so, an administrator of SlipTrail can set OIDC_TRUST_UNMARKED_EMAIL.`,
    nameTaken: (name: string, host: string) =>
      `You cannot sign in, because the name ${name} belongs to another account of ${host}, which signed in with it first. Ask the administrator of ${host} for a name that no other account had, or an administrator of SlipTrail for a token.`,
    noRole: (name: string) =>
      `The account ${name} has no role here. Ask an administrator of SlipTrail to give a role to one of your groups, or use another account.`
  },
  operators: {
    title: "Operators",
    lead: "The people and programs that use the console and the admin API. The trail names them.",
    none: "There is no operator yet. Sign-in is with ADMIN_TOKEN only.",
    name: "Name",
    nameHint: "Letters, digits and . _ @ + -; the trail shows it.",
    role: "Role",
    roles: { admin: "Administrator", support: "Support", auditor: "Auditor" },
    rolesHint: "Administrators do everything. Support reads, and sends callbacks again. "
      + "Auditors read, and may see personal data.",
    add: "Add an operator",
    setRole: "Change the role",
    newToken: "New token",
    newTokenHint: (name: string) => `The token and the sessions of ${name} stop at once. The new token is shown once.`,
    remove: "Remove",
    removeHint: (name: string) => `The token and the sessions of ${name} stop at once. The trail keeps the name.`,
    allSessions: "All open sessions"
  },
  sessions: {
    title: "Sessions",
    titleOf: (operator: string) => `Sessions of ${operator}`,
    lead: "Open sessions of the console. One that is not used is listed until it expires.",
    none: "There is no open session.",
    operator: "Operator",
    source: "Signed in with",
    sources: { token: "Token", oidc: "OpenID Connect" },
    started: "Since",
    expires: "Expires",
    end: "End",
    endAll: (operator: string) => `End all sessions of ${operator}`,
    endAllHint: "In every browser and process. The operator can sign in again."
  }
}
