//! What clients may say, and what they get.

use super::*;

over_sockets! {
    async fn a_health_check_is_answered_to_the_byte() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        raw.write(HEALTH).await;
        let mut bytes = vec![0; 60];
        raw.reader.read_exact(&mut bytes).await.unwrap();
        assert_eq!(bytes, b"000036(:TYPE :HEALTH-RESPONSE :STATUS :HEALTHY :CHECKED-P T)");
    }

    async fn lower_case_keys_and_prefix_are_read_like_upper_case() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        raw.write("00004c(:type :event :meta (:source :tui) :payload (:sensor :user-input :text \"x\"))").await;
        let reply = raw.form().await;
        assert_eq!(reply.text_at("payload.text"), Some("x"));
        assert!(reply.get("TARGET").unwrap().is_kw("TUI"));
        assert!(raw.form().await.at("payload.outcome").unwrap().is_kw("ANSWERED"));
    }

    async fn bare_symbols_are_keys_of_an_envelope() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        raw.say("(type event meta (source tui) payload (sensor user-input text \"x\"))").await;
        assert_eq!(raw.form().await.text_at("payload.text"), Some("x"));
    }

    async fn white_space_before_a_frame_and_a_final_newline_inside_or_outside_its_count_are_fine() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        raw.write(format!(" \r\n\t{HEALTH}\n{HEALTH}\n000016(:type :health-check)\n")).await;
        for _ in 0..3 {
            assert_eq!(raw.text().await.as_deref(), Some(HEALTHY));
        }
    }

    async fn two_frames_in_one_segment_and_one_in_three_are_read() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.tcp().await;
        raw.write([HEALTH, HEALTH].concat()).await;
        for _ in 0..2 {
            assert_eq!(raw.text().await.as_deref(), Some(HEALTHY));
        }
        for part in ["0000", "15(:TYPE :HEA", "LTH-CHECK)"] {
            raw.write(part).await;
            raw.writer.flush().await.unwrap();
            tokio::task::yield_now().await;
        }
        assert_eq!(raw.text().await.as_deref(), Some(HEALTHY));
    }

    async fn any_text_comes_back_unchanged() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        for text in [".", "\"quoted\" \\ back", "line\nline\ttab\r\n", "é€😀", "nul\0in", "a\u{2028}\u{202e}\u{7f}", "\\n"] {
            assert_eq!(raw.chat(text).await.text_at("payload.text"), Some(text));
        }
        let long = "ü\"".repeat(700_000);
        assert_eq!(raw.chat(&long).await.text_at("payload.text"), Some(long.as_str()));
    }

    async fn what_answers_a_request_names_it_whatever_atom_its_id_is() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        for id in ["7", ":R", "\"r-1\"", "1/2"] {
            raw.say(&format!(
                "(:TYPE :EVENT :META (:SOURCE :CLI :REQUEST-ID {id}) :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"x\"))"
            )).await;
            raw.say(&format!("(:TYPE :HEALTH-CHECK :META (:REQUEST-ID {id}))")).await;
            raw.say(&format!("(:TYPE :REQUEST :META (:REQUEST-ID {id}) :PAYLOAD (:ACTION :STATUS))")).await;
            raw.say(&format!("(:TYPE :FOO :META (:REQUEST-ID {id}))")).await;
            for _ in 0..5 {
                assert_eq!(raw.form().await.at("meta.request-id").unwrap().to_string(), id);
            }
        }
    }

    async fn the_first_event_binds_source_and_session() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        let session = raw.chat("x").await.text_at("meta.session-id").unwrap().to_owned();
        raw.say("(:TYPE :EVENT :META (:SOURCE :EMACS) :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"x\"))").await;
        assert_eq!(raw.error("bound").await.0, ":META :SOURCE");
        let other = SessionId::random().unwrap();
        raw.say(&format!("(:TYPE :EVENT :META (:SESSION-ID \"{other}\") :PAYLOAD (:SENSOR :INTERRUPT))")).await;
        assert_eq!(raw.error("bound").await.0, ":META :SESSION-ID");
        raw.say("(:TYPE :EVENT :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"y\"))").await;
        let reply = raw.form().await;
        assert_eq!(reply.text_at("meta.session-id"), Some(session.as_str()));
        assert!(reply.at("meta.source").unwrap().is_kw("TUI"));
    }

    async fn a_client_without_a_source_gets_the_default_one() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        raw.say("(:TYPE :EVENT :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"y\"))").await;
        assert!(raw.form().await.get("TARGET").unwrap().is_kw("CLI"));
    }

    async fn every_connection_of_a_session_gets_the_same_frames_in_the_same_order_and_others_none() {
        let daemon = daemon(wire()).await;
        let (mut first, mut second, mut other) = (daemon.unix().await, daemon.unix().await, daemon.unix().await);
        let session = first.chat("begin").await.text_at("meta.session-id").unwrap().to_owned();
        other.chat("mine").await;
        second.say(&format!(
            "(:TYPE :EVENT :META (:SOURCE :EMACS :SESSION-ID \"{session}\") :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"joined\"))"
        )).await;
        assert_eq!(first.form().await.text_at("payload.text"), Some("joined"));
        assert_eq!(second.form().await.text_at("payload.text"), Some("joined"));
        first.form().await;
        second.form().await;
        for turn in 0..50 {
            let speaker = if turn % 2 == 0 { &mut first } else { &mut second };
            speaker.say(&format!("(:TYPE :EVENT :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"{turn}\"))")).await;
        }
        for _ in 0..100 {
            assert_eq!(first.text().await, second.text().await);
        }
        other.is_open().await;
    }

    async fn an_unknown_session_can_not_be_joined() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        let id = SessionId::random().unwrap();
        raw.say(&format!("(:TYPE :EVENT :META (:SESSION-ID \"{id}\") :PAYLOAD (:SENSOR :INTERRUPT))")).await;
        raw.error("no-such-session").await;
        raw.say("(:TYPE :EVENT :META (:SESSION-ID \"default\") :PAYLOAD (:SENSOR :INTERRUPT))").await;
        assert_eq!(raw.error("bad-field").await.0, ":META :SESSION-ID");
        raw.is_open().await;
    }

    async fn a_request_with_a_target_is_a_proposal_and_never_an_administrative_request() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        raw.say("(:type :request :target shell :payload (cmd \"ls\" :args (path 1)))").await;
        raw.form().await;
        raw.say("(:TYPE :REQUEST :TARGET \"system\" :PAYLOAD (:ACTION :APPROVE :PLAN \"1\"))").await;
        raw.form().await;
        assert_eq!(daemon.echo.proposals(), [
            read("(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD \"ls\" :ARGS (:PATH 1)))").unwrap(),
            read("(:TYPE :REQUEST :TARGET :SYSTEM :PAYLOAD (:ACTION :APPROVE :PLAN \"1\"))").unwrap(),
        ]);
    }

    async fn administrative_requests_are_answered_without_a_session_and_refused_in_frames() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        raw.say("(:TYPE :REQUEST :META (:REQUEST-ID 1) :PAYLOAD (:ACTION :STATUS))").await;
        assert_eq!(
            raw.text().await.as_deref(),
            Some("(:TYPE :RESPONSE :META (:REQUEST-ID 1) :PAYLOAD (:ACTION :STATUS :TEXT \"done\"))")
        );
        assert!(daemon.echo.sessions.lock().unwrap().is_empty());
        raw.say("(:TYPE :REQUEST :PAYLOAD (:ACTION :DENY :PLAN \"1\"))").await;
        raw.error("no-such-plan").await;
        raw.say("(:TYPE :REQUEST :PAYLOAD (:ACTION :DENY))").await;
        assert_eq!(raw.error("missing-field").await.0, ":PAYLOAD :PLAN");
        raw.say("(:TYPE :REQUEST :PAYLOAD (:ACTION :REPL :CODE \"(+ 1 2)\"))").await;
        let answer = raw.form().await;
        let session = daemon.echo.sessions.lock().unwrap()[0].to_string();
        assert_eq!(answer.text_at("meta.session-id"), Some(session.as_str()));
    }

    async fn an_interrupt_and_the_editors_events_reach_the_service() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        for sensor in [":INTERRUPT", ":BUFFER-UPDATE :PATH \"a\"", ":POINT-UPDATE :POINT 3", ":REPL-EVAL :CODE \"1\""] {
            raw.say(&format!("(:TYPE :EVENT :PAYLOAD (:SENSOR {sensor} :UNKNOWN-KEY 1))")).await;
            raw.form().await;
        }
        let events = daemon.echo.events.lock().unwrap();
        assert!(events.iter().all(|(_, event)| matches!(&event.kind, EventKind::Sensed { payload, .. }
            if payload.get("UNKNOWN-KEY").is_some())));
        assert_eq!(events.len(), 4);
    }

    async fn a_refused_event_is_an_error_and_starts_no_turn() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        raw.send(&input("refuse")).await;
        raw.error("queue-full").await;
        raw.is_open().await;
    }

    async fn a_client_that_closes_only_its_own_side_still_gets_its_answers() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        raw.write(HEALTH).await;
        raw.say("(:TYPE :REQUEST :PAYLOAD (:ACTION :DOCTOR))").await;
        raw.writer.shutdown().await.unwrap();
        assert_eq!(raw.text().await.as_deref(), Some(HEALTHY));
        assert!(raw.form().await.at("payload.action").unwrap().is_kw("DOCTOR"));
        assert_eq!(raw.text().await, None);
    }

    async fn the_service_hears_when_a_bound_connection_leaves() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        raw.chat("x").await;
        let (_, event) = daemon.echo.events.lock().unwrap()[0].clone();
        assert_eq!(daemon.echo.hub.connections(event.meta.session), 1);
        raw.writer.shutdown().await.unwrap();
        assert_eq!(raw.text().await, None);
        assert_eq!(daemon.echo.left.lock().unwrap().len(), 1);
        assert_eq!(daemon.echo.hub.connections(event.meta.session), 0);
    }

    async fn our_client_finds_the_daemon_by_its_socket_and_puts_long_texts_together() {
        let daemon = daemon(wire()).await;
        let mut client = Client::connect(daemon.state.path()).await.unwrap();
        assert_eq!(client.greeting.text_at("payload.version"), Some("test"));
        client.send(&input("hi")).await.unwrap();
        assert_eq!(client.next().await.unwrap().unwrap().text_at("payload.text"), Some("hi"));
        client.next().await.unwrap();
        // In parts, because its quotes double when printed.
        let session = daemon.echo.sessions.lock().unwrap()[0];
        let meta = Meta { source: "TUI".to_owned(), session, request_id: None };
        let frame = reply(&meta, &"\"".repeat(9 << 18));
        daemon.echo.hub.send(session, frame.clone());
        assert_eq!(client.next().await.unwrap().unwrap(), frame);
    }

    async fn going_down_writes_what_is_queued_and_leaves_nothing_behind() {
        let mut daemon = daemon(wire()).await;
        let mut raw = daemon.unix().await;
        raw.chat("x").await;
        raw.send(&input("y")).await;
        assert_eq!(raw.form().await.text_at("payload.text"), Some("y"));
        daemon.stop.cancel();
        raw.form().await;
        assert_eq!(raw.text().await, None);
        (&mut daemon.serving).await.unwrap();
        let names: Vec<_> = std::fs::read_dir(daemon.state.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["token"]);
        assert!(matches!(Client::connect(daemon.state.path()).await, Err(ClientError::NoDaemon { .. })));
    }
}
