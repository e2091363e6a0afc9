//! The options of curl and wget. Sources: curl(1) of curl 8.16 and `curl --help all`, wget(1) of GNU Wget 1.25.

use super::Means::{self, *};

/// Options that mean the same: their letters, and their long names with blanks between them.
pub(super) type Options = &'static [(Means, &'static str, &'static str)];

pub(super) const CURL: Options = &[
    (
        Nothing,
        "#0123456:BGIJLMNORSVZafghijklnpqsv",
        "anyauth append basic ca-native cert-status compressed compressed-ssh create-dirs crlf digest disable disable-eprt \
         disable-epsv disallow-username-in-url doh-cert-status doh-insecure dump-ca-embed eprt epsv fail fail-early \
         fail-with-body false-start follow form-escape ftp-create-dirs ftp-pasv ftp-pret ftp-skip-pasv-ip ftp-ssl \
         ftp-ssl-ccc ftp-ssl-control ftp-ssl-reqd get globoff haproxy-protocol head help http0.9 http1.0 http1.1 http2 \
         http2-prior-knowledge http3 http3-only ignore-content-length include insecure ipv4 ipv6 junk-session-cookies \
         list-only location location-trusted mail-rcpt-allowfails manual metalink mptcp negotiate netrc netrc-optional next \
         no-alpn no-buffer no-clobber no-keepalive no-npn no-progress-meter no-sessionid ntlm ntlm-wb out-null parallel \
         parallel-immediate path-as-is post301 post302 post303 progress-bar proxy-anyauth proxy-basic proxy-ca-native \
         proxy-digest proxy-http2 proxy-insecure proxy-negotiate proxy-ntlm proxy-ssl-allow-beast \
         proxy-ssl-auto-client-cert proxy-tlsv1 proxytunnel raw remote-header-name remote-name remote-name-all remote-time \
         remove-on-error retry-all-errors retry-connrefused sasl-ir sessionid show-error show-headers silent skip-existing \
         socks5-basic socks5-gssapi socks5-gssapi-nec ssl ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd \
         ssl-revoke-best-effort sslv2 sslv3 styled-output suppress-connect-headers tcp-fastopen tcp-nodelay \
         tftp-no-options tls-earlydata tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding trace-ids trace-time use-ascii \
         verbose version xattr",
    ),
    (
        Value,
        "ACPUYemrtuyz",
        "aws-sigv4 cert-type ciphers connect-timeout continue-at create-file-mode curves delegation dns-interface \
         dns-ipv4-addr dns-ipv6-addr ech engine expect100-timeout ftp-account ftp-alternative-to-user ftp-method ftp-port \
         ftp-ssl-ccc-mode happy-eyeballs-timeout-ms haproxy-clientip hostpubmd5 hostpubsha256 interface ip-tos \
         keepalive-cnt keepalive-time key-type krb limit-rate local-port login-options mail-auth max-filesize max-redirs \
         max-time noproxy oauth2-bearer parallel-max parallel-max-host pass pinnedpubkey proto proto-default proto-redir \
         proxy-cert-type proxy-ciphers proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers \
         proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user range rate referer request-target retry retry-delay \
         retry-max-time sasl-authzid service-name sigalgs socks5-gssapi-service speed-limit speed-time telnet-option \
         tftp-blksize time-cond tls-max tls13-ciphers tlsauthtype tlspassword tlsuser trace-config upload-flags user \
         user-agent vlan-priority",
    ),
    (Url, "", "doh-url ipfs-gateway url"),
    (
        Proxy,
        "x",
        "preproxy proxy proxy1.0 socks4 socks4a socks5 socks5-hostname",
    ),
    (Hosts, "", "dns-servers"),
    (Resolve, "", "resolve"),
    (Connect, "", "connect-to"),
    (Method, "X", "request"),
    (Says, "Q", "data-raw form-string mail-from mail-rcpt quote"),
    (Data, "d", "data data-ascii data-binary json"),
    (Encoded, "", "data-urlencode url-query variable"),
    (Form, "F", "form"),
    (Sends, "T", "upload-file"),
    (Cookies, "b", "cookie"),
    (Header, "H", "header proxy-header"),
    (
        Reads,
        "",
        "cacert capath crlfile egd-file etag-compare key knownhosts netrc-file proxy-cacert proxy-capath proxy-crlfile \
         proxy-key pubkey random-file",
    ),
    (Certificate, "E", "cert proxy-cert"),
    (Format, "w", "write-out"),
    (Obeys, "K", "config"),
    (Socket, "", "abstract-unix-socket unix-socket"),
    (
        Writes,
        "Dco",
        "alt-svc cookie-jar dump-header etag-save hsts libcurl output output-dir stderr trace trace-ascii",
    ),
];

pub(super) const WGET: Options = &[
    (
        Nothing,
        "46EFHKLNSVbcdhkmnpqrvx",
        "adjust-extension ask-password auth-no-challenge background content-disposition content-on-error continue \
         convert-file-only convert-links backup-converted debug delete-after follow-ftp force-directories force-html \
         ftps-clear-data-connection ftps-fallback-to-ftp ftps-implicit ftps-resume-ssl help html-extension https-only \
         if-modified-since ignore-case ignore-length inet4-only inet6-only keep-session-cookies mirror no-cache \
         no-check-certificate no-clobber no-config no-cookies no-directories no-dns-cache no-glob no-hsts \
         no-host-directories no-http-keep-alive no-if-modified-since no-iri no-netrc no-parent no-passive-ftp no-proxy \
         no-remove-listing no-use-server-timestamps no-verbose no-warc-compression no-warc-digests no-warc-keep-log \
         page-requisites passive-ftp preserve-permissions protocol-directories quiet random-wait recursive relative \
         retr-symlinks retry-connrefused retry-on-host-error save-headers server-response show-progress span-hosts spider \
         strict-comments timestamping trust-server-names unlink verbose version warc-cdx xattr",
    ),
    (
        Value,
        "ADIQRTUXltw",
        "accept accept-regex backups bind-address bind-dns-address certificate-type ciphers compression connect-timeout \
         cut-dirs default-page dns-timeout domains exclude-directories exclude-domains follow-tags ftp-password ftp-user \
         http-password http-passwd http-user ignore-tags include-directories level limit-rate local-encoding max-redirect \
         password pinnedpubkey prefer-family private-key-type progress proxy-password proxy-user quota read-timeout referer \
         regex-type reject reject-regex remote-encoding report-speed restrict-file-names retry-on-http-error \
         secure-protocol start-pos timeout tries user user-agent wait waitretry warc-max-size",
    ),
    (Url, "B", "base"),
    (Hosts, "", "dns-servers"),
    (Method, "", "method"),
    (Says, "", "body-data post-data"),
    (Sends, "", "body-file load-cookies post-file"),
    (Header, "", "header warc-header"),
    (
        Reads,
        "",
        "ca-certificate ca-directory certificate crl-file egd-file private-key random-file warc-dedup",
    ),
    (Obeys, "", "config"),
    (Lists, "i", "input-file"),
    (Setting, "e", "execute"),
    (Runs, "", "use-askpass"),
    (
        Writes,
        "OPao",
        "append-output directory-prefix hsts-file output-document output-file rejected-log save-cookies warc-file \
         warc-tempdir",
    ),
];
