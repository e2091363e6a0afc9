;;;; LOOP: the simple one, and the clauses that programs use most. A loop is taken apart into the parts of a state, a
;;;; property list, and put together again as a TAGBODY.

(defun %loop-word (form)
  (if (symbolp form) (intern (symbol-name form) :keyword) nil))

(defun %loop-word-p (form names)
  (and (symbolp form) form (%member-eql (%loop-word form) names)))

(defun %loop-add (state key form)
  (%putf state key (append (getf state key) (list form))))

(defun %loop-clause-word-p (form)
  (%loop-word-p form '(:for :as :with :repeat :while :until :do :doing :collect :collecting :append
                       :appending :nconc :nconcing :sum :summing :count :counting :maximize
                       :maximizing :minimize :minimizing :when :if :unless :always :never :thereis
                       :return :finally :initially :named :and :else :end)))

;;; The compound forms at the head of CLAUSES, and what is behind them.
(defun %loop-forms (clauses)
  (let ((forms nil))
    (do () ((or (null clauses) (atom (car clauses))))
      (push (pop clauses) forms))
    (list (nreverse forms) clauses)))

;;; Binds VARIABLE, which may be a pattern, to the value of FORM.
(defun %loop-variables (pattern)
  (cond ((null pattern) nil)
        ((atom pattern) (list pattern))
        (t (append (%loop-variables (car pattern)) (%loop-variables (cdr pattern))))))

(defun %loop-set (pattern form)
  (cond ((null pattern) nil)
        ((atom pattern) `((setq ,pattern ,form)))
        (t (let ((value (gensym)))
             `((let ((,value ,form))
                 ,@(%loop-set (car pattern) `(car ,value))
                 ,@(%loop-set (cdr pattern) `(cdr ,value))))))))

(defun %loop-bind (state pattern)
  (dolist (variable (%loop-variables pattern) state)
    (setq state (%loop-add state :bindings (list variable nil)))))

;;; FOR variable FROM ... TO ... BY ...
(defun %loop-numbers (state variable clauses)
  (let ((from 0) (to nil) (by 1) (down nil) (below nil) (limit (gensym)) (step (gensym)))
    (do () ((not (%loop-word-p (car clauses)
                               '(:from :upfrom :downfrom :to :upto :downto :below :above :by))))
      (let ((word (%loop-word (pop clauses))) (form (pop clauses)))
        (case word
          ((:from :upfrom) (setq from form))
          (:downfrom (setq from form down t))
          ((:to :upto) (setq to form))
          (:downto (setq to form down t))
          (:below (setq to form below t))
          (:above (setq to form below t down t))
          (:by (setq by form)))))
    (setq state (%loop-add state :bindings (list variable from)))
    (if to (setq state (%loop-add state :bindings (list limit to))))
    (setq state (%loop-add state :bindings (list step by)))
    (if to
        (setq state (%loop-add state :tests
                               (list (cond ((and down below) '<=) (down '<) (below '>=) (t '>))
                                     variable limit))))
    (setq state (%loop-add state :steps `(setq ,variable (,(if down '- '+) ,variable ,step))))
    (list state clauses)))

;;; FOR variable IN list, ON list
(defun %loop-list (state pattern word clauses)
  (let ((rest (gensym)) (list (pop clauses)) (by '(function cdr)))
    (if (%loop-word-p (car clauses) '(:by))
        (progn (pop clauses) (setq by (pop clauses))))
    (setq state (%loop-add state :bindings (list rest list)))
    (setq state (%loop-bind state pattern))
    (setq state (%loop-add state :tests (if (eq word :in) `(endp ,rest) `(atom ,rest))))
    (dolist (form (%loop-set pattern (if (eq word :in) `(car ,rest) rest)))
      (setq state (%loop-add state :tests `(progn ,form nil))))
    (setq state (%loop-add state :steps `(setq ,rest (funcall ,by ,rest))))
    (list state clauses)))

;;; FOR variable ACROSS vector
(defun %loop-vector (state pattern clauses)
  (let ((vector (gensym)) (index (gensym)) (count (gensym)))
    (setq state (%loop-add state :bindings (list vector (pop clauses))))
    (setq state (%loop-add state :bindings (list index 0)))
    (setq state (%loop-add state :bindings `(,count (length ,vector))))
    (setq state (%loop-bind state pattern))
    (setq state (%loop-add state :tests `(>= ,index ,count)))
    (dolist (form (%loop-set pattern `(elt ,vector ,index)))
      (setq state (%loop-add state :tests `(progn ,form nil))))
    (setq state (%loop-add state :steps `(incf ,index)))
    (list state clauses)))

;;; FOR variable = form THEN form
(defun %loop-equals (state pattern clauses)
  (let ((first (pop clauses)) (started (gensym)))
    (setq state (%loop-bind state pattern))
    (if (%loop-word-p (car clauses) '(:then))
        (progn
          (pop clauses)
          (setq state (%loop-add state :bindings (list started nil)))
          (setq state
                (%loop-add state :tests
                           `(progn (if ,started
                                       (progn ,@(%loop-set pattern (pop clauses)))
                                       (progn ,@(%loop-set pattern first) (setq ,started t)))
                                   nil))))
        (setq state (%loop-add state :tests `(progn ,@(%loop-set pattern first) nil))))
    (list state clauses)))

;;; FOR variable BEING THE HASH-KEYS OF table USING (HASH-VALUE variable)
(defun %loop-table (state variable clauses)
  (let ((words nil) (pairs (gensym)) (other nil) (table nil))
    (do () ((%loop-word-p (car clauses) '(:of :in)))
      (if (null clauses) (%program-error "a LOOP clause BEING without OF"))
      (push (%loop-word (pop clauses)) words))
    (pop clauses)
    (setq table (pop clauses))
    (if (%loop-word-p (car clauses) '(:using))
        (progn (pop clauses) (setq other (cadr (pop clauses)))))
    (let ((keys (or (member :hash-key words) (member :hash-keys words))))
      (setq state (%loop-add state :bindings `(,pairs (%hash-pairs ,table))))
      (setq state (%loop-bind state variable))
      (if other (setq state (%loop-add state :bindings (list other nil))))
      (setq state (%loop-add state :tests `(endp ,pairs)))
      (setq state (%loop-add state :tests
                             `(progn (setq ,variable ,(if keys `(caar ,pairs) `(cdar ,pairs)))
                                     ,@(if other `((setq ,other ,(if keys `(cdar ,pairs) `(caar ,pairs)))))
                                     nil)))
      (setq state (%loop-add state :steps `(setq ,pairs (cdr ,pairs)))))
    (list state clauses)))

(defun %loop-for (state clauses)
  (let ((variable (pop clauses)))
    (if (%loop-word-p (car clauses) '(:of-type))
        (setq clauses (cddr clauses)))
    (case (%loop-word (car clauses))
      ((:in :on) (%loop-list state variable (%loop-word (car clauses)) (cdr clauses)))
      (:across (%loop-vector state variable (cdr clauses)))
      (:= (%loop-equals state variable (cdr clauses)))
      (:being (%loop-table state variable (cdr clauses)))
      (otherwise
       (if (%loop-word-p (car clauses) '(:from :upfrom :downfrom :to :upto :downto :below :above :by))
           (%loop-numbers state variable clauses)
           (%program-error "~S is not understood in a LOOP clause FOR" (car clauses)))))))

;;; The variable that a clause collects into.
(defun %loop-into (state clauses initial result)
  (let ((variable nil))
    (if (%loop-word-p (car clauses) '(:into))
        (progn
          (pop clauses)
          (setq variable (pop clauses))
          (if (%loop-named state variable)
              nil
              (setq state (%loop-add state :bindings (list variable initial)))))
        (if (getf state :result-variable)
            (setq variable (getf state :result-variable))
            (progn
              (setq variable (gensym))
              (setq state (%putf state :result-variable variable))
              (setq state (%loop-add state :bindings (list variable initial)))
              (setq state (%putf state :result (subst variable :variable result))))))
    (list state variable clauses)))

(defun %loop-named (state variable)
  (find variable (getf state :bindings) :key #'car))

;;; One clause that does something: the form, what is behind it, and the state.
(defun %loop-action (state clauses)
  (let ((word (%loop-word (pop clauses))))
    (case word
      ((:do :doing)
       (destructuring-bind (forms rest) (%loop-forms clauses)
         (list state `(progn ,@forms) rest)))
      (:return (list state `(return-from ,(getf state :name) ,(pop clauses)) clauses))
      ((:when :if :unless) (%loop-conditional state word clauses))
      ((:collect :collecting :append :appending :nconc :nconcing)
       (let ((form (pop clauses)))
         (destructuring-bind (state variable rest)
             (%loop-into state clauses nil '(:reversed :variable))
           (if (%loop-named-by-user state variable)
               (list state
                     (if (%member-eql word '(:collect :collecting))
                         `(setq ,variable (append ,variable (list ,form)))
                         `(setq ,variable (append ,variable ,form)))
                     rest)
               (list state
                     (if (%member-eql word '(:collect :collecting))
                         `(setq ,variable (cons ,form ,variable))
                         `(setq ,variable (revappend ,form ,variable)))
                     rest)))))
      ((:sum :summing)
       (let ((form (pop clauses)))
         (destructuring-bind (state variable rest) (%loop-into state clauses 0 ':variable)
           (list state `(setq ,variable (+ ,variable ,form)) rest))))
      ((:count :counting)
       (let ((form (pop clauses)))
         (destructuring-bind (state variable rest) (%loop-into state clauses 0 ':variable)
           (list state `(if ,form (setq ,variable (1+ ,variable))) rest))))
      ((:maximize :maximizing :minimize :minimizing)
       (let ((form (pop clauses)) (value (gensym)))
         (destructuring-bind (state variable rest) (%loop-into state clauses nil ':variable)
           (list state
                 `(let ((,value ,form))
                    (setq ,variable
                          (if ,variable
                              (,(if (%member-eql word '(:maximize :maximizing)) 'max 'min)
                               ,variable ,value)
                              ,value)))
                 rest))))
      (otherwise (%program-error "~S is not understood as a LOOP clause" word)))))

(defun %loop-named-by-user (state variable)
  (not (eq variable (getf state :result-variable))))

;;; Actions joined by AND.
(defun %loop-actions (state clauses)
  (let ((forms nil))
    (tagbody
       next
       (destructuring-bind (new form rest) (%loop-action state clauses)
         (setq state new)
         (push form forms)
         (setq clauses rest))
       (if (%loop-word-p (car clauses) '(:and))
           (progn (pop clauses) (go next))))
    (list state `(progn ,@(nreverse forms)) clauses)))

(defun %loop-conditional (state word clauses)
  (let ((test (pop clauses)) (else nil))
    (destructuring-bind (state then clauses) (%loop-actions state clauses)
      (if (%loop-word-p (car clauses) '(:else))
          (destructuring-bind (new form rest) (%loop-actions state (cdr clauses))
            (setq state new)
            (setq else form)
            (setq clauses rest)))
      (if (%loop-word-p (car clauses) '(:end)) (pop clauses))
      (list state
            (if (eq word :unless) `(if ,test ,else ,then) `(if ,test ,then ,else))
            clauses))))

(defun %loop-clause (state clauses)
  (case (%loop-word (car clauses))
    ((:for :as) (%loop-for state (cdr clauses)))
    (:with
     (let ((variable (cadr clauses)) (rest (cddr clauses)))
       (if (%loop-word-p (car rest) '(:=))
           (if (atom variable)
               (list (%loop-add state :bindings (list variable (cadr rest))) (cddr rest))
               (list (%loop-add (%loop-bind state variable) :prologue
                                `(progn ,@(%loop-set variable (cadr rest))))
                     (cddr rest)))
           (list (%loop-bind state variable) rest))))
    (:and (if (getf state :last-with)
              (%loop-clause state (cons :with (cdr clauses)))
              (%loop-clause state (cons :for (cdr clauses)))))
    (:repeat
     (let ((count (gensym)))
       (setq state (%loop-add state :bindings (list count (cadr clauses))))
       (setq state (%loop-add state :tests `(<= ,count 0)))
       (list (%loop-add state :steps `(setq ,count (1- ,count))) (cddr clauses))))
    (:while (list (%loop-add state :body `(if ,(cadr clauses) nil (go :end-of-loop))) (cddr clauses)))
    (:until (list (%loop-add state :body `(if ,(cadr clauses) (go :end-of-loop))) (cddr clauses)))
    (:always
     (list (%putf (%loop-add state :body `(if ,(cadr clauses) nil (return-from ,(getf state :name) nil)))
                  :result t)
           (cddr clauses)))
    (:never
     (list (%putf (%loop-add state :body `(if ,(cadr clauses) (return-from ,(getf state :name) nil)))
                  :result t)
           (cddr clauses)))
    (:thereis
     (let ((value (gensym)))
       (list (%loop-add state :body
                        `(let ((,value ,(cadr clauses)))
                           (if ,value (return-from ,(getf state :name) ,value))))
             (cddr clauses))))
    (:initially
     (destructuring-bind (forms rest) (%loop-forms (cdr clauses))
       (list (%loop-add state :prologue `(progn ,@forms)) rest)))
    (:finally
     (if (%loop-word-p (cadr clauses) '(:return))
         (list (%loop-add state :epilogue `(return-from ,(getf state :name) ,(caddr clauses)))
               (cdddr clauses))
         (destructuring-bind (forms rest)
             (%loop-forms (if (%loop-word-p (cadr clauses) '(:do)) (cddr clauses) (cdr clauses)))
           (list (%loop-add state :epilogue `(progn ,@forms)) rest))))
    (otherwise
     (destructuring-bind (state form rest) (%loop-action state clauses)
       (list (%loop-add state :body form) rest)))))

(defun %loop-extended (clauses)
  (let ((state (list :name nil)))
    (if (%loop-word-p (car clauses) '(:named))
        (progn (setq state (list :name (cadr clauses))) (setq clauses (cddr clauses))))
    (do () ((null clauses))
      (if (%loop-clause-word-p (car clauses))
          nil
          (%program-error "~S is found where a LOOP keyword is expected" (car clauses)))
      (let ((word (%loop-word (car clauses))))
        (setq state (%putf state :last-with
                           (or (eq word :with) (and (eq word :and) (getf state :last-with))))))
      (destructuring-bind (new rest) (%loop-clause state clauses)
        (setq state new)
        (setq clauses rest)))
    (%loop-assemble state)))

(defun %loop-assemble (state)
  (let ((result (getf state :result)))
    (if (and (consp result) (eq (car result) :reversed))
        (setq result `(nreverse ,(cadr result))))
    `(block ,(getf state :name)
       (let* ,(getf state :bindings)
         (tagbody
            ,@(getf state :prologue)
            :next-of-loop
            (if (or ,@(getf state :tests)) (go :end-of-loop))
            ,@(getf state :body)
            ,@(getf state :steps)
            (go :next-of-loop)
            :end-of-loop
            ,@(getf state :epilogue)
            (return-from ,(getf state :name) ,result))))))

(defmacro loop (&rest clauses)
  (if (and clauses (atom (car clauses)))
      (%loop-extended clauses)
      (let ((top (gensym)))
        `(block nil (tagbody ,top (progn ,@clauses) (go ,top))))))
