;; A whole gate without any language but WebAssembly's own: no message to the user is longer than 500 bytes. What is here
;; is what every language's tools have to make of `wit/skill.wit`. To make it a skill:
;;
;;   wasm-tools parse brief.wat -o brief.wasm
(component
  ;; What it asks the host for: how many bytes a text of the action has. Forms are plain numbers.
  (import "passepartout:skill/forms@0.1.0" (instance $forms
    (export "size" (func (param "of" u32) (param "path" string) (result u32)))))

  ;; Memory, and where the host puts what it passes in: each allocation takes the next free bytes. An instance of a gate
  ;; lives for one call, so nothing is ever given back.
  (core module $memory-module
    (memory (export "memory") 1)
    (global $next (mut i32) (i32.const 4096))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      (local $at i32)
      (local.set $at (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
      (global.set $next (i32.add (local.get $at) (local.get 3)))
      (local.get $at)))
  (core instance $memory (instantiate $memory-module))
  (core func $size (canon lower (func $forms "size") (memory $memory "memory")))
  (core instance $host (export "size" (func $size)))

  (core module $code-module
    (import "memory" "memory" (memory 1))
    (import "host" "size" (func $size (param i32 i32 i32) (result i32)))
    (data (i32.const 1024) "(:NAME \"brief\" :VERSION \"0.1.0\" :PRIORITY 90 :FUNCTIONS (:GATE))")
    (data (i32.const 1280) "payload.text")
    (data (i32.const 1536)
      "(:RULE \"long-message\" :FIELD \"payload.text\" :REASON \"it is too long\" :REPAIR \"say it in 500 bytes\")")

    ;; Results that do not fit into one number are written to memory, and their address is returned.
    (func (export "describe") (result i32)
      (i32.store (i32.const 16) (i32.const 1024))
      (i32.store (i32.const 20) (i32.const 64))
      (i32.const 16))
    ;; A verdict is its case (0 pass, 1 revise, 2 reject, 3 ask), then the text of the case.
    (func (export "gate") (param $action i32) (param $signal i32) (result i32)
      (i32.store (i32.const 32)
        (select (i32.const 2) (i32.const 0)
          (i32.gt_u (call $size (local.get $action) (i32.const 1280) (i32.const 12)) (i32.const 500))))
      (i32.store (i32.const 36) (i32.const 1536))
      (i32.store (i32.const 40) (i32.const 99))
      (i32.const 32))

    ;; The interface is exported whole. The description names none of these, so the host never calls them.
    (func (export "trigger") (param i32) (result i32) unreachable)
    (func (export "prompt") (param i32) (result i32) unreachable)
    (func (export "mandate") (param i32) (result i32) unreachable)
    (func (export "act") (param i32 i32) (result i32) unreachable)
    (func (export "call-tool") (param i32 i32 i32 i32) (result i32) unreachable)
    (func (export "recover") (param i32 i32) (result i32) unreachable))
  (core instance $code (instantiate $code-module
    (with "memory" (instance $memory))
    (with "host" (instance $host))))

  ;; From core functions to those of the interface.
  (type $verdict (variant (case "pass") (case "revise" string) (case "reject" string) (case "ask" string)))
  (func $describe (result string)
    (canon lift (core func $code "describe") (memory $memory "memory")))
  (func $trigger (param "signal" u32) (result bool)
    (canon lift (core func $code "trigger")))
  (func $prompt (param "signal" u32) (result (option string))
    (canon lift (core func $code "prompt") (memory $memory "memory")))
  (func $mandate (param "signal" u32) (result (option string))
    (canon lift (core func $code "mandate") (memory $memory "memory")))
  (func $gate (param "action" u32) (param "signal" u32) (result $verdict)
    (canon lift (core func $code "gate") (memory $memory "memory")))
  (func $act (param "action" u32) (param "signal" u32) (result (result string (error string)))
    (canon lift (core func $code "act") (memory $memory "memory")))
  (func $call-tool (param "name" string) (param "action" u32) (param "signal" u32)
      (result (result string (error string)))
    (canon lift (core func $code "call-tool") (memory $memory "memory") (realloc (func $memory "realloc"))))
  (func $recover (param "error" u32) (param "signal" u32) (result (option string))
    (canon lift (core func $code "recover") (memory $memory "memory")))

  ;; The instance that is exported. A component in the component, because a type must be exported with the functions that
  ;; use it.
  (component $interface
    (type $verdict (variant (case "pass") (case "revise" string) (case "reject" string) (case "ask" string)))
    (import "verdict-in" (type $in (eq $verdict)))
    (import "describe" (func $describe (result string)))
    (import "trigger" (func $trigger (param "signal" u32) (result bool)))
    (import "prompt" (func $prompt (param "signal" u32) (result (option string))))
    (import "mandate" (func $mandate (param "signal" u32) (result (option string))))
    (import "gate" (func $gate (param "action" u32) (param "signal" u32) (result $in)))
    (import "act" (func $act (param "action" u32) (param "signal" u32) (result (result string (error string)))))
    (import "call-tool" (func $call-tool (param "name" string) (param "action" u32) (param "signal" u32)
      (result (result string (error string)))))
    (import "recover" (func $recover (param "error" u32) (param "signal" u32) (result (option string))))
    (export $out "verdict" (type $in))
    (export "describe" (func $describe))
    (export "trigger" (func $trigger))
    (export "prompt" (func $prompt))
    (export "mandate" (func $mandate))
    (export "gate" (func $gate) (func (param "action" u32) (param "signal" u32) (result $out)))
    (export "act" (func $act))
    (export "call-tool" (func $call-tool))
    (export "recover" (func $recover)))
  (instance $skill (instantiate $interface
    (with "verdict-in" (type $verdict))
    (with "describe" (func $describe))
    (with "trigger" (func $trigger))
    (with "prompt" (func $prompt))
    (with "mandate" (func $mandate))
    (with "gate" (func $gate))
    (with "act" (func $act))
    (with "call-tool" (func $call-tool))
    (with "recover" (func $recover))))
  (export "passepartout:skill/skill@0.1.0" (instance $skill)))
